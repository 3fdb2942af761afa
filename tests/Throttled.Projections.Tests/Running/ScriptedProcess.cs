using System.Collections.Immutable;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Positions;
using Throttled.Projections.Running;
using Throttled.Projections.Store;

namespace Throttled.Projections.Tests.Running;

/// <summary>One process that runs the projection <c>p</c> on scripted tables.</summary>
internal sealed class ScriptedProcess
{
    private ImmutableList<ScriptedCrew> _crews = [];

    internal ScriptedProcess(Cluster cluster, string member, ProjectionOptions options, HookedHandler handler)
    {
        Member = member;
        Handler = handler;
        Store = new(cluster.Tables);
        Parts = new()
        {
            Store = Store,
            Handler = handler,
            Options = options,
            Outages = Outages.Of(options, cluster.Log, [.. Enumerable.Repeat("", cluster.Map?.Count ?? 1)]),
            Member = member,
            Random = new Random(1),
            Continuations = TaskCreationOptions.None,
            Map = cluster.Map,
            Shards = [.. new LaneDivision(1, cluster.Map).ShardsOf(TargetLayout.SlicesOf(options)).Select(slices => new JournalShard
            {
                Number = cluster.Map?.ShardOf(slices.First),
                Slices = slices,
                End = _ => cluster.EndAsync(),
                FirstBehind = (after, _) => Task.FromResult(cluster.Events.FirstOrDefault(each => each.Ordering > after)),
            })],
            Crew = row =>
            {
                _crews = _crews.Add(new(row.Target, cluster.Tables) { Slow = SlowStops });
                return _crews[^1];
            },
        };
        Runner = new(Parts);
    }

    internal string Member { get; }

    internal HookedHandler Handler { get; }

    internal ScriptedStore Store { get; }

    internal ProjectionParts Parts { get; }

    internal ProjectionRunner Runner { get; }

    /// <summary>What stops of crews to come wait for; null where for nothing.</summary>
    internal Func<CancellationToken, Task>? SlowStops { get; set; }

    /// <summary>All that were ever made.</summary>
    internal IReadOnlyList<ScriptedCrew> Crews => _crews;

    internal bool IsAlive => !Store.Hangs && !Runner.Completion.IsCompleted;

    internal ScriptedCrew Crew(string target = "p") => _crews.Single(crew => crew.Target == target && !crew.IsDisposed);

    /// <summary>The lanes that it runs.</summary>
    internal string Lanes(string target = "p") =>
        string.Join(',', _crews.Where(crew => crew.Target == target && !crew.IsDisposed).SelectMany(crew => crew.Running));

    internal void Start() => _ = Runner.RunAsync();

    /// <summary>It is gone without a word.</summary>
    internal void Die() => Store.Hangs = true;
}

/// <summary>Writes down what was asked of it, and fails as a test wants.</summary>
internal sealed class HookedHandler : BatchHandler
{
    internal List<string> Calls { get; } = [];

    internal Func<string, Exception?>? Fault { get; set; }

    /// <summary>What a hook waits for; null where for nothing.</summary>
    internal Func<Task>? Slow { get; set; }

    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => DoAsync($"prepare {scope.Target}");

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => DoAsync($"swap {from} {to.Target}");

    public override Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) => DoAsync($"drop {scope.Target}");

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
