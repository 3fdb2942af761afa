namespace Throttled.Simulation;

/// <summary>The parameters of one simulation, drawn from its seed.</summary>
internal sealed record SimulationPlan
{
    internal required int Steps { get; init; }

    internal required int Ids { get; init; }

    internal required int Readers { get; init; }

    internal required bool ReusesOrderings { get; init; }

    internal required bool KnowsOpenTransactions { get; init; }

    /// <summary>The share of the database's steps that fail.</summary>
    internal required double Faults { get; init; }

    internal required bool HasPoison { get; init; }

    internal required int LargestPayload { get; init; }

    /// <summary>Whether some transactions stay open for long.</summary>
    internal required bool HasLongWriters { get; init; }

    /// <summary>Whether the journal is restored now and then.</summary>
    internal required bool HasRewinds { get; init; }

    /// <summary>Whether readers often pause, long enough to lose their pages.</summary>
    internal required bool HasPausedReaders { get; init; }

    /// <summary>The number of keys of one poll.</summary>
    internal required int KeysPerPoll { get; init; }

    /// <summary>Whether the server goes down now and then, and comes back with another name.</summary>
    internal required bool HasOutages { get; init; }

    /// <summary>The step at which the engine is disposed; null for the end.</summary>
    internal required int? DisposesAt { get; init; }

    /// <summary>The number of processors that the engine sees.</summary>
    internal required int Processors { get; init; }

    /// <summary>The number of statements that the server accepts.</summary>
    internal required int Ceiling { get; init; }

    /// <summary>Whether the state of lost statements cannot be read.</summary>
    internal required bool HidesBackends { get; init; }

    internal required JournalOptions Options { get; init; }

    /// <summary>The share of events whose payload is above the limit, so that statements do not return it.</summary>
    internal double LargePayloads { get; init; }

    /// <summary>Whether pages take long, so that the tail polls several times meanwhile.</summary>
    internal bool HasSlowPages { get; init; }

    /// <summary>Whether there is a standby that replays later, and connections lead to it or to the primary.</summary>
    internal bool HasTwoServers { get; init; }

    /// <summary>Whether another server takes over when the current one goes down, perhaps without the newest rows.</summary>
    internal bool HasFailovers { get; init; }

    /// <summary>Whether the server's name changes while it runs, and newest events are removed.</summary>
    internal bool AlternatesNames { get; init; }

    /// <summary>Whether connections sometimes cannot be opened.</summary>
    internal bool HasOpeningFaults { get; init; }

    /// <summary>Whether calls are refused for some time.</summary>
    internal bool HasRefusals { get; init; }

    /// <summary>Whether some polls do not know the open transactions.</summary>
    internal bool HasBlindPolls { get; init; }

    /// <summary>Whether a poll that reads whole rows also reads those in gaps.</summary>
    internal bool ReadsLateRows { get; init; } = true;

    /// <summary>Whether polls report for some time that the order cannot be read.</summary>
    internal bool HasOrderRefusals { get; init; }

    /// <summary>
    /// The memory that is allowed beyond the byte limit: a row for each statement and what it counts at once; a page that several queries
    /// read, which each of them counts; and the places in the list of persistence ids.
    /// </summary>
    internal long BytesBeyond =>
        (Row * (2 + (Options.MaxConcurrentQueries * (1 + (Options.MaxRowsPerStatement * (Options.MaxQueriesPerStatement - 1))))))
        + (Options.MaxConcurrentQueries * Math.Clamp(Options.MaxBufferedBytes / 256, 1, 16 * 1024)) + (8L * Options.MaxBufferSize * Readers);

    // The bytes of a row beside its payload: its strings and tags.
    private long Row => 400L + LargestPayload;

    internal static SimulationPlan Draw(Random random)
    {
        var payload = random.Next(1, 400);
        var reuses = random.Next(5) == 0;
        var steps = random.Next(100, 700);
        return new()
        {
            Steps = steps,
            Ids = random.Next(1, 7),
            Readers = random.Next(1, 10),
            ReusesOrderings = reuses,
            HasRewinds = !reuses && random.Next(6) == 0,
            KnowsOpenTransactions = random.Next(5) != 0,
            Faults = random.Next(2) == 0 ? 0 : random.NextDouble() * 0.15,
            HasPoison = random.Next(6) == 0,
            LargestPayload = payload,
            HasLongWriters = random.Next(3) == 0,
            HasPausedReaders = random.Next(3) == 0,
            KeysPerPoll = random.Next(3) == 0 ? random.Next(2, 12) : 10_000,
            HasOutages = random.Next(4) == 0,
            DisposesAt = random.Next(5) == 0 ? random.Next(steps) : null,
            Processors = random.Next(1, 9),
            Ceiling = random.Next(4) == 0 ? random.Next(1, 6) : int.MaxValue,
            HidesBackends = random.Next(4) == 0,
            Options = DrawOptions(random, payload),
        };
    }

    /// <summary>Adds parameters from a second source of randomness, so that the first source draws the same as before.</summary>
    internal SimulationPlan With(Random random) => this with
    {
        HasSlowPages = random.Next(6) == 0,
        LargePayloads = random.Next(5) == 0 ? random.NextDouble() * 0.2 : 0,
        Options = Options with { MaxPayloadBytes = LargestPayload, OnLargePayload = (LargePayloadAction)random.Next(3) },
    };

    /// <summary>Adds parameters from a third source of randomness, for servers with wrong information.</summary>
    internal SimulationPlan WithLies(Random random)
    {
        var isPlain = !ReusesOrderings && !HasRewinds;
        var (servers, names) = (isPlain && random.Next(5) == 0, isPlain && random.Next(7) == 0);
        var refusals = random.Next(8) == 0;
        return this with
        {
            HasTwoServers = servers,
            HasSlowPages = HasSlowPages || (servers && random.Next(2) == 0),
            // A change of servers takes a while.
            Steps = servers ? 2 * Steps : Steps,
            AlternatesNames = names && !servers,
            HasRefusals = refusals,
            HasOpeningFaults = random.Next(7) == 0,
            HasBlindPolls = isPlain && KnowsOpenTransactions && random.Next(7) == 0,
            HasOrderRefusals = isPlain && random.Next(10) == 0,
            Options = refusals
                ? Options with { FatalErrorGracePeriod = TimeSpan.FromSeconds(random.Next(0, 20)), RequireTable = random.Next(4) == 0 }
                : Options,
        };
    }

    /// <summary>Adds parameters from a fourth source of randomness, for servers that take over from each other, and for the ways to read late rows.</summary>
    internal SimulationPlan WithFailovers(Random random)
    {
        var has = HasRewinds && random.Next(2) == 0;
        return this with { HasFailovers = has, HasOutages = HasOutages || has, ReadsLateRows = random.Next(3) != 0 };
    }

    public override string ToString() =>
        $"{Steps} steps, reuses {ReusesOrderings}, open transactions {KnowsOpenTransactions}, faults {Faults:0.00}, poison {HasPoison}, permits "
        + $"{Options.MaxConcurrentQueries}, rate {Options.MaxQueriesPerSecond}, page {Options.MaxBufferSize}, members "
        + $"{Options.MaxQueriesPerStatement}, rows {Options.MaxRowsPerStatement}, bytes {Options.MaxBufferedBytes}, gap {Options.GapTimeout}, "
        + $"keys {KeysPerPoll}, lag {Options.TailMaxLag}, long {HasLongWriters}, paused readers {HasPausedReaders}, outages {HasOutages}, disposed at {DisposesAt}, processors {Processors}, ceiling {Ceiling}, pooled {HidesBackends}, notify {Options.Notify}, rewinds {HasRewinds}, tags {Options.Tables.TagMode}, "
        + $"slow pages {HasSlowPages}, large payloads {LargePayloads:0.00} {Options.OnLargePayload}, two servers {HasTwoServers}, failovers {HasFailovers}, names {AlternatesNames}, opening {HasOpeningFaults}, refusals {HasRefusals} {Options.FatalErrorGracePeriod} {Options.RequireTable}, "
        + $"blind {HasBlindPolls}, order refused {HasOrderRefusals}, late rows {ReadsLateRows}";

    private static JournalOptions DrawOptions(Random random, int payload) => new()
    {
        MaxConcurrentQueries = random.Next(1, 6),
        MaxQueriesPerSecond = random.Next(6) == 0 ? random.Next(5, 200) : 0,
        Burst = random.Next(1, 5),
        MaxBufferSize = random.Next(1, 7),
        MaxQueriesPerStatement = random.Next(1, 9),
        MaxRowsPerStatement = random.Next(1, 25),
        MaxBufferedBytes = random.Next(2) == 0 ? 1_000_000 : random.Next(1, 12 * (128 + payload)),
        StatementTimeout = TimeSpan.FromSeconds(random.Next(1, 20)),
        GapTimeout = TimeSpan.FromSeconds(random.Next(1, 10)),
        TailMaxLag = random.Next(2) == 0 ? 50_000 : random.Next(1, 40),
        Tables = JournalTables.Default with { TagMode = random.Next(2) == 0 ? TagMode.Csv : TagMode.TagTable },
        FatalErrorGracePeriod = TimeSpan.FromHours(1),
        QueryThrottleWarning = TimeSpan.FromSeconds(random.Next(1, 30)),
        Notify = random.Next(3) == 0,
        MinPollInterval = TimeSpan.FromMilliseconds(random.Next(0, 50)),
    };
}
