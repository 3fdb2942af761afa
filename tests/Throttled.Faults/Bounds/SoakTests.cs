using System.Diagnostics;
using Throttled.Faults.PostgreSql;
using Throttled.Faults.World;

namespace Throttled.Faults.Bounds;

/// <summary>Queries that follow for hours under faults of all kinds cost the same at the end as at the beginning.</summary>
[Collection(AloneCollection.Name)]
public sealed class SoakTests(ITestOutputHelper output)
{
    /// <summary>The number of measurements. The first one comes after a part of the faults, which have filled pools and lists.</summary>
    private const int Measurements = 4;

    private static readonly ServerFault Usual = SessionFaults.Terminated;

    // The server and the reader are the same for all faults.
    private static readonly ServerFault[] Faults =
        [.. ServerFaultTests.Faults.Where(fault => fault.Connections == Usual.Connections && fault.Timeout == Usual.Timeout)];

    // Two hours at full size; a minute with a share of the long tests.
    private static readonly TimeSpan Duration = LongShare.IsWhole ? TimeSpan.FromHours(2) : TimeSpan.FromMinutes(1);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task After_hours_of_faults_memory_handles_threads_and_statements_have_not_grown()
    {
        var queries = LongShare.Of(20_000);
        await using var server = await ServerRun.StartAsync(output, queries, Usual, pause: TimeSpan.FromSeconds(1));
        await server.Run.UntilFollowingAsync();
        var start = Stopwatch.GetTimestamp();
        List<Upkeep> measured = [];
        for (var part = 1; part <= Measurements; part++)
        {
            var strikes = await StrikeUntilAsync(server, start, part * Duration / Measurements);
            measured.Add(await Upkeep.OfAsync(server.Run));
            output.WriteLine($"{Stopwatch.GetElapsedTime(start):h\\:mm\\:ss}, {strikes} faults, {server.Run.Ledger.Count} events: {measured[^1]}");
        }
        measured[^1].HasNotGrownSince(measured[0], queries);
        await server.EndAsync();
    }

    // At least one fault, even if the time is over.
    private static async Task<int> StrikeUntilAsync(ServerRun server, long start, TimeSpan end)
    {
        var strikes = 0;
        do
        {
            await server.StrikeAsync(Faults[server.Random.Next(Faults.Length)]);
            strikes++;
        }
        while (Stopwatch.GetElapsedTime(start) < end);
        return strikes;
    }
}
