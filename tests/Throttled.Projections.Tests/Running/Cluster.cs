using Throttled.Projections.Diagnostics;
using Throttled.Projections.Tables;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

/// <summary>Processes on one set of scripted tables and one clock. Everything runs on the test's thread.</summary>
internal sealed class Cluster
{
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(50);

    private readonly List<ScriptedProcess> _processes = [];

    internal Cluster()
    {
        Tables = new(Clock);
        Begun = Clock.GetUtcNow().ToUnixTimeMilliseconds();
        Plain = new()
        {
            Name = "p",
            Source = ProjectionSource.BySlices(0, 15),
            Lanes = 4,
            TimeProvider = Clock,
            LoggerFactory = Log,
        };
    }

    internal FakeClock Clock { get; } = new();

    /// <summary>The first epoch of the read model that the first process creates.</summary>
    internal long Begun { get; }

    internal RecordedLog Log { get; } = new();

    internal ScriptedTables Tables { get; }

    internal ProjectionOptions Plain { get; }

    internal IReadOnlyList<ScriptedProcess> Processes => _processes;

    internal List<JournalEvent> Events { get; } = [];

    /// <summary>The end of the journal; throws if the journal is unavailable.</summary>
    internal Func<long> End { get; set; } = () => 1_000;

    /// <summary>The shards of the journal, for processes that are made from now on.</summary>
    internal ShardMap Map { get; set; } = ShardMap.Even(1);

    /// <summary>The metrics of processes that are made from now on; null for none.</summary>
    internal ProjectionMetrics? Metrics { get; set; }

    internal int Polls { get; private set; }

    internal Task<long> EndAsync()
    {
        Polls++;
        try
        {
            return Task.FromResult(End());
        }
        catch (Exception error)
        {
            return Task.FromException<long>(error);
        }
    }

    /// <summary>The ordering after which every event is delivered that commits from now on; the end of the journal by default.</summary>
    internal Func<Task<long>>? Now { get; set; }

    internal Task<long> NowAsync() => Now?.Invoke() ?? EndAsync();

    internal ScriptedProcess Make(string name, Func<ProjectionOptions, ProjectionOptions>? change = null)
    {
        ScriptedCall.ContinueInPlace();
        _processes.Add(new(this, name, change?.Invoke(Plain) ?? Plain, new()));
        return _processes[^1];
    }

    /// <summary>Starts a process and waits until it runs.</summary>
    internal ScriptedProcess Start(string name, Func<ProjectionOptions, ProjectionOptions>? change = null)
    {
        var process = Make(name, change);
        process.Start();
        Advance(3);
        return process;
    }

    internal void Advance(double seconds)
    {
        var end = Clock.Now + TimeSpan.FromSeconds(seconds);
        while (Clock.Now < end)
            Clock.Advance(Step);
    }

    internal void AdvanceUntil(Func<bool> condition, string what, double seconds = 60)
    {
        var end = Clock.Now + TimeSpan.FromSeconds(seconds);
        while (!condition())
        {
            Assert.True(Clock.Now < end, $"Not within {seconds} s: {what}");
            Clock.Advance(Step);
        }
    }

    /// <summary>Stores a command and waits for its end.</summary>
    internal (CommandState State, string? Result) Command(CommandVerb verb, string version, long? ordering = null, long? timestamp = null, int? lanes = null)
    {
        var command = Tables.Command(verb, version, ordering, timestamp, lanes: lanes);
        AdvanceUntil(() => !Tables.IsWaiting(command), $"{verb} of {version} to end");
        Advance(1);
        return Tables.Became(command);
    }
}
