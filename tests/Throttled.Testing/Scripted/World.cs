using System.Diagnostics;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Testing.Scripted;

/// <summary>An engine on a scripted database, in which nothing happens unless the test makes it happen.</summary>
internal sealed class World : IDisposable
{
    private readonly List<PolledReader> _readers = [];
    private readonly List<PolledReader<string>> _idReaders = [];

    /// <param name="change">Changes the options.</param>
    /// <param name="reusesOrderings">Whether the database issues the orderings of removed rows again.</param>
    /// <param name="random">The source of randomness; null for a fixed one.</param>
    /// <param name="keysPerPoll">The number of keys that the tail reads at a time.</param>
    /// <param name="processors">The number of processors of the machine.</param>
    /// <param name="hasTriedEvidence">Whether the evidence of open transactions, if any, is beyond doubt.</param>
    internal World(
        Func<JournalOptions, JournalOptions>? change = null, bool reusesOrderings = false, Random? random = null,
        int keysPerPoll = 10_000, int processors = 4, bool hasTriedEvidence = true)
    {
        var plain = new JournalOptions { TimeProvider = Clock, LoggerFactory = Log };
        Options = change?.Invoke(plain) ?? plain;
        Journal = new() { ReusesOrderings = reusesOrderings };
        Database = new(Journal, Clock)
        {
            Random = random,
            HasTriedEvidence = hasTriedEvidence,
            StatementTimeout = Options.StatementTimeout,
            KeepsCalls = random is null,
            TagMode = Options.Tables.TagMode,
        };
        Engine = new(Database, Options, new()
        {
            Scheduler = Scheduler,
            Random = random ?? new Random(1),
            KeysPerPoll = keysPerPoll,
            Processors = processors,
            Permits = context => Permits = new(context),
        });
    }

    internal FakeClock Clock { get; } = new();

    internal RecordedLog Log { get; } = new();

    internal ManualScheduler Scheduler { get; } = new();

    internal JournalOptions Options { get; }

    internal ScriptedJournal Journal { get; }

    internal ScriptedDatabase Database { get; }

    internal JournalEngine Engine { get; }

    internal WatchedPermits Permits { get; private set; } = null!;

    internal IReadOnlyList<PolledReader> Readers => _readers;

    /// <summary>Calls that <see cref="Settle"/> does not run.</summary>
    internal Func<ScriptedCall, bool> IsHeld { get; set; } = _ => false;

    internal PolledReader Open(string persistenceId, long from = 0, long to = long.MaxValue, bool isLive = true) =>
        Keep(new(Engine, new ByIdQuery(persistenceId, new SequenceRange(from, to), isLive)));

    internal PolledReader Open(OrderedQuery query) => Keep(new(Engine, query));

    internal PolledReader OpenAll(long after = 0, bool isLive = true) => Open(new OrderedQuery(EventFilter.All, after, isLive));

    internal PolledReader OpenTag(string tag, long after = 0, bool isLive = true) =>
        Open(new OrderedQuery(new EventFilter { Tag = tag }, after, isLive));

    /// <summary>The events of the slice of a persistence id.</summary>
    internal PolledReader OpenSlice(string persistenceId, long after = 0, bool isLive = true)
    {
        var slice = JournalSlices.Of(persistenceId);
        return Open(new OrderedQuery(new EventFilter { Slices = new(slice, slice) }, after, isLive));
    }

    internal PolledReader<string> OpenIds(bool isLive = true)
    {
        var reader = new PolledReader<string>(reader => Engine.OpenIds(isLive, reader));
        _idReaders.Add(reader);
        return reader;
    }

    internal PolledReader OpenCurrent(string persistenceId, long from = 0, long to = long.MaxValue) =>
        Open(persistenceId, from, to, isLive: false);

    /// <summary>Runs all that can run without a change of time.</summary>
    internal void Settle()
    {
        ScriptedCall.ContinueInPlace();
        while (Scheduler.Step() || StepDatabase() || StepReaders() || Ring())
            Assert.Null(Log.Defect);
    }

    /// <summary>Advances the clock, and runs all that becomes due at its time.</summary>
    internal void Advance(TimeSpan time)
    {
        var end = Clock.Now + time;
        Settle();
        while (Clock.NextRing is { } ring && ring <= end)
        {
            Clock.Advance(ring > Clock.Now ? ring - Clock.Now : TimeSpan.Zero);
            Settle();
        }
        Clock.Advance(end - Clock.Now);
        Settle();
    }

    internal void AdvanceUntil(Func<bool> condition, int seconds = 120)
    {
        var end = Clock.Now + TimeSpan.FromSeconds(seconds);
        Settle();
        while (!condition())
        {
            Assert.True(Clock.Now < end, "The condition did not come true in time.");
            Advance(TimeSpan.FromMilliseconds(10));
        }
    }

    /// <summary>Disposes the engine, and runs all that the disposal needs.</summary>
    internal void Close()
    {
        IsHeld = _ => false;
        var closing = Closing();
        var waited = Stopwatch.StartNew();
        while (!Pump(closing))
            Assert.True(waited.Elapsed < TimeSpan.FromSeconds(20), "Disposal does not end.");
        Assert.True(closing.IsCompletedSuccessfully, closing.Exception?.ToString());
    }

    internal Task Closing() => Engine.DisposeAsync().AsTask();

    public void Dispose() => Close();

    private bool Pump(Task closing)
    {
        Settle();
        Thread.Yield();
        return closing.IsCompleted;
    }

    private bool StepDatabase()
    {
        var next = Database.Pending.FirstOrDefault(call => call.IsCancelled || !IsHeld(call));
        if (next is not null)
            Database.Step(next);
        return next is not null;
    }

    private bool Ring()
    {
        var isDue = Clock.NextRing <= Clock.Now;
        if (isDue)
            Clock.Advance(TimeSpan.Zero);
        return isDue;
    }

    private PolledReader Keep(PolledReader reader)
    {
        _readers.Add(reader);
        return reader;
    }

    private bool StepReaders()
    {
        var any = false;
        foreach (var reader in _idReaders)
            any |= reader.IsEager && reader.Step();
        foreach (var reader in _readers)
            any |= reader.IsEager && reader.Step();
        return any;
    }
}
