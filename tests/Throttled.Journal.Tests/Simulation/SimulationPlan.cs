using Throttled.Journal;

namespace Throttled.Simulation;

/// <summary>What one simulation is like; drawn from its seed.</summary>
internal sealed record SimulationPlan
{
    internal required int Steps { get; init; }

    internal required int Ids { get; init; }

    internal required int Readers { get; init; }

    internal required bool ReusesOrderings { get; init; }

    internal required bool KnowsOpenTransactions { get; init; }

    /// <summary>The share of steps of the database that fail.</summary>
    internal required double Faults { get; init; }

    internal required bool HasPoison { get; init; }

    internal required int LargestPayload { get; init; }

    /// <summary>Whether some transactions stay open for long.</summary>
    internal required bool HasLongWriters { get; init; }

    /// <summary>Whether the journal is restored now and then.</summary>
    internal required bool HasRewinds { get; init; }

    /// <summary>Whether readers often sleep, for long enough to lose what they hold.</summary>
    internal required bool HasSleepers { get; init; }

    /// <summary>How many keys the tail reads at a time.</summary>
    internal required int KeysPerPoll { get; init; }

    /// <summary>Whether the server goes away now and then, and comes back under another name.</summary>
    internal required bool HasOutages { get; init; }

    /// <summary>At which step the engine is disposed of; null where only at the end.</summary>
    internal required int? DisposesAt { get; init; }

    /// <summary>How many processors the engine is told of.</summary>
    internal required int Processors { get; init; }

    /// <summary>How many statements the server says it can take.</summary>
    internal required int Ceiling { get; init; }

    /// <summary>Whether nobody can be asked about lost statements.</summary>
    internal required bool HidesBackends { get; init; }

    internal required JournalOptions Options { get; init; }

    /// <summary>The share of events whose payload no statement brings, because it is above the limit.</summary>
    internal double LargePayloads { get; init; }

    /// <summary>Whether pages take long, so that the tail looks several times meanwhile.</summary>
    internal bool HasSlowPages { get; init; }

    /// <summary>Whether a standby, which replays later, stands beside the primary, and connections lead to the one or the other.</summary>
    internal bool HasTwoServers { get; init; }

    /// <summary>Whether another server takes the place of the one that goes away now and then, perhaps without the newest rows.</summary>
    internal bool HasFailovers { get; init; }

    /// <summary>Whether the server's name changes while it runs, and newest events are removed.</summary>
    internal bool AlternatesNames { get; init; }

    /// <summary>Whether connections cannot be opened now and then.</summary>
    internal bool HasOpeningFaults { get; init; }

    /// <summary>Whether calls are refused for stretches.</summary>
    internal bool HasRefusals { get; init; }

    /// <summary>Whether some looks do not know who may still commit.</summary>
    internal bool HasBlindPolls { get; init; }

    /// <summary>Whether looks say for stretches that the order cannot be read.</summary>
    internal bool HasOrderRefusals { get; init; }

    /// <summary>
    /// What may be in memory beyond the bytes that are allowed: for each statement a row, and what it counts at once; a page that several read,
    /// which each of them counts; and the places in the list of persistence ids.
    /// </summary>
    internal long BytesBeyond =>
        (Row * (2 + (Options.MaxConcurrentQueries * (1 + (Options.MaxRowsPerStatement * (Options.MaxQueriesPerStatement - 1))))))
        + (Options.MaxConcurrentQueries * Math.Clamp(Options.MaxBufferedBytes / 256, 1, 16 * 1024)) + (8L * Options.MaxBufferSize * Readers);

    // What a row counts beside its payload: its strings and tags.
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
            HasSleepers = random.Next(3) == 0,
            KeysPerPoll = random.Next(3) == 0 ? random.Next(2, 12) : 10_000,
            HasOutages = random.Next(4) == 0,
            DisposesAt = random.Next(5) == 0 ? random.Next(steps) : null,
            Processors = random.Next(1, 9),
            Ceiling = random.Next(4) == 0 ? random.Next(1, 6) : int.MaxValue,
            HidesBackends = random.Next(4) == 0,
            Options = DrawOptions(random, payload),
        };
    }

    /// <summary>As this one, with what a second source of chance draws: whatever that brings, the first draws the same.</summary>
    internal SimulationPlan With(Random random) => this with
    {
        HasSlowPages = random.Next(6) == 0,
        LargePayloads = random.Next(5) == 0 ? random.NextDouble() * 0.2 : 0,
        Options = Options with { MaxPayloadBytes = LargestPayload, OnLargePayload = (LargePayloadAction)random.Next(3) },
    };

    /// <summary>As this one, with what a third source of chance draws of servers that lie.</summary>
    internal SimulationPlan WithLies(Random random)
    {
        var isPlain = !ReusesOrderings && !HasRewinds;
        var (servers, names) = (isPlain && random.Next(5) == 0, isPlain && random.Next(7) == 0);
        var refusals = random.Next(8) == 0;
        return this with
        {
            HasTwoServers = servers,
            HasSlowPages = HasSlowPages || (servers && random.Next(2) == 0),
            // Moving takes a while.
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

    /// <summary>As this one, with what a fourth source of chance draws of servers that take turns.</summary>
    internal SimulationPlan WithFailovers(Random random)
    {
        var has = HasRewinds && random.Next(2) == 0;
        return this with { HasFailovers = has, HasOutages = HasOutages || has };
    }

    public override string ToString() =>
        $"{Steps} steps, reuses {ReusesOrderings}, open transactions {KnowsOpenTransactions}, faults {Faults:0.00}, poison {HasPoison}, permits "
        + $"{Options.MaxConcurrentQueries}, rate {Options.MaxQueriesPerSecond}, page {Options.MaxBufferSize}, members "
        + $"{Options.MaxQueriesPerStatement}, rows {Options.MaxRowsPerStatement}, bytes {Options.MaxBufferedBytes}, gap {Options.GapTimeout}, "
        + $"keys {KeysPerPoll}, lag {Options.TailMaxLag}, long {HasLongWriters}, sleepers {HasSleepers}, outages {HasOutages}, disposed at {DisposesAt}, processors {Processors}, ceiling {Ceiling}, pooled {HidesBackends}, notify {Options.Notify}, rewinds {HasRewinds}, tags {Options.Tables.TagMode}, "
        + $"slow pages {HasSlowPages}, large payloads {LargePayloads:0.00} {Options.OnLargePayload}, two servers {HasTwoServers}, failovers {HasFailovers}, names {AlternatesNames}, opening {HasOpeningFaults}, refusals {HasRefusals} {Options.FatalErrorGracePeriod} {Options.RequireTable}, "
        + $"blind {HasBlindPolls}, order refused {HasOrderRefusals}";

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
