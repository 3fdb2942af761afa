namespace Throttled.Journal.Tests.Simulation;

/// <summary>What one simulation is like; drawn from its seed.</summary>
internal sealed record SimulationPlan
{
    internal required int Steps { get; init; }

    internal required int Ids { get; init; }

    internal required int Readers { get; init; }

    internal required bool ReusesOrderings { get; init; }

    internal required bool KnowsHolders { get; init; }

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
    internal required int KeysPerLook { get; init; }

    internal required JournalOptions Options { get; init; }

    /// <summary>
    /// What may be in memory beyond the bytes that are allowed: a row for each statement, and a page that several read, which each of them
    /// counts.
    /// </summary>
    internal long BytesBeyond =>
        (128L + LargestPayload) * ((Options.MaxConcurrentQueries * Options.MaxRowsPerStatement * Options.MaxQueriesPerStatement) + 1);

    internal static SimulationPlan Draw(Random random)
    {
        var payload = random.Next(1, 400);
        var reuses = random.Next(5) == 0;
        return new()
        {
            Steps = random.Next(100, 700),
            Ids = random.Next(1, 7),
            Readers = random.Next(1, 10),
            ReusesOrderings = reuses,
            HasRewinds = !reuses && random.Next(6) == 0,
            KnowsHolders = random.Next(5) != 0,
            Faults = random.Next(2) == 0 ? 0 : random.NextDouble() * 0.15,
            HasPoison = random.Next(6) == 0,
            LargestPayload = payload,
            HasLongWriters = random.Next(3) == 0,
            HasSleepers = random.Next(3) == 0,
            KeysPerLook = random.Next(3) == 0 ? random.Next(2, 12) : 10_000,
            Options = DrawOptions(random, payload),
        };
    }

    public override string ToString() =>
        $"{Steps} steps, reuses {ReusesOrderings}, holders {KnowsHolders}, faults {Faults:0.00}, poison {HasPoison}, permits "
        + $"{Options.MaxConcurrentQueries}, rate {Options.MaxQueriesPerSecond}, page {Options.MaxBufferSize}, members "
        + $"{Options.MaxQueriesPerStatement}, rows {Options.MaxRowsPerStatement}, bytes {Options.MaxBufferedBytes}, gap {Options.GapTimeout}, "
        + $"keys {KeysPerLook}, lag {Options.TailMaxLag}, long {HasLongWriters}, sleepers {HasSleepers}, rewinds {HasRewinds}, tags {Options.Tables.TagMode}";

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
        TailMinInterval = TimeSpan.FromMilliseconds(random.Next(0, 50)),
    };
}
