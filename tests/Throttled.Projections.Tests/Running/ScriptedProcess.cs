using System.Collections.Immutable;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Offsets;
using Throttled.Projections.Reads;
using Throttled.Projections.Running;
using Throttled.Projections.Tests.Lanes;

namespace Throttled.Projections.Tests.Running;

/// <summary>One process that runs the projection <c>p</c> on scripted tables.</summary>
internal sealed class ScriptedProcess
{
    private ImmutableList<ScriptedWorker> _workers = [];

    internal ScriptedProcess(Cluster cluster, string process, ProjectionOptions options, HookedHandler handler)
    {
        ProcessName = process;
        Handler = handler;
        Store = new(cluster.Tables);
        Context = new()
        {
            Store = Store,
            Handler = handler,
            Options = options,
            Metrics = cluster.Metrics,
            Availability = ProjectionAvailability.Of(options, "'app'", cluster.Log, [.. Enumerable.Repeat("", cluster.Map.Count)]),
            ProcessName = process,
            Random = new Random(1),
            Continuations = TaskCreationOptions.None,
            Map = cluster.Map,
            Shards = [.. new LaneLayout(1, cluster.Map).ShardsOf(VersionLayout.SlicesOf(options)).Select((slices, index) => Make.Shard(_ => throw new NotSupportedException()) with
            {
                Index = index,
                Number = cluster.Map.ShardOf(slices.First),
                Slices = slices,
                End = _ => cluster.EndAsync(),
                Now = _ => cluster.NowAsync(),
                FirstAfter = (after, _) => Task.FromResult(cluster.Events.FirstOrDefault(each => each.Ordering > after)),
            })],
            CreateWorker = row =>
            {
                _workers = _workers.Add(new(row.Version, cluster.Tables) { Slow = SlowStops });
                return _workers[^1];
            },
        };
        Runner = new(Context);
    }

    internal string ProcessName { get; }

    internal HookedHandler Handler { get; }

    internal ScriptedStore Store { get; }

    internal ProjectionContext Context { get; }

    internal ProjectionRunner Runner { get; }

    /// <summary>What stops of later workers wait for; null for nothing.</summary>
    internal Func<CancellationToken, Task>? SlowStops { get; set; }

    /// <summary>All workers that were created.</summary>
    internal IReadOnlyList<ScriptedWorker> Workers => _workers;

    internal bool IsAlive => !Store.Hangs && !Runner.Completion.IsCompleted;

    internal ScriptedWorker Worker(string version = "p") => _workers.Single(worker => worker.Version == version && !worker.IsDisposed);

    /// <summary>The lanes that the process runs.</summary>
    internal string Lanes(string version = "p") =>
        string.Join(',', _workers.Where(worker => worker.Version == version && !worker.IsDisposed).SelectMany(worker => worker.Running));

    internal void Start()
    {
        Runner.Attach();
        _ = Runner.RunAsync();
    }

    /// <summary>Ends the process without any further call.</summary>
    internal void Die() => Store.Hangs = true;
}

/// <summary>Records the calls of its hooks, and fails as the test requires.</summary>
internal sealed class HookedHandler : BatchHandler
{
    internal List<string> Calls { get; } = [];

    internal Func<string, Exception?>? Fault { get; set; }

    /// <summary>What a hook waits for; null for nothing.</summary>
    internal Func<Task>? Slow { get; set; }

    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => DoAsync($"prepare {scope.Version}");

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => DoAsync($"swap {from} {to.Version}");

    public override Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) => DoAsync($"drop {scope.Version}");

    public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken) => throw new NotSupportedException();

    private async Task DoAsync(string call)
    {
        Calls.Add(call);
        if (Slow is not null)
            await Slow().ConfigureAwait(false);
        if (Fault?.Invoke(call) is { } fault)
            throw fault;
    }
}
