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

    internal required JournalOptions Options { get; init; }

    internal static SimulationPlan Draw(Random random)
    {
        var payload = random.Next(1, 400);
        return new()
        {
            Steps = random.Next(100, 700),
            Ids = random.Next(1, 7),
            Readers = random.Next(1, 10),
            ReusesOrderings = random.Next(5) == 0,
            KnowsHolders = random.Next(5) != 0,
            Faults = random.Next(2) == 0 ? 0 : random.NextDouble() * 0.15,
            HasPoison = random.Next(6) == 0,
            LargestPayload = payload,
            Options = DrawOptions(random, payload),
        };
    }

    public override string ToString() =>
        $"{Steps} steps, reuses {ReusesOrderings}, holders {KnowsHolders}, faults {Faults:0.00}, poison {HasPoison}, permits "
        + $"{Options.MaxConcurrentQueries}, rate {Options.MaxQueriesPerSecond}, page {Options.MaxBufferSize}, members "
        + $"{Options.MaxQueriesPerStatement}, rows {Options.MaxRowsPerStatement}, bytes {Options.MaxBufferedBytes}, gap {Options.GapTimeout}";

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
        TailMinInterval = TimeSpan.FromMilliseconds(random.Next(0, 50)),
    };
}
