using System.Diagnostics;
using Throttled.Faults.PostgreSql;
using Throttled.Faults.World;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Faults.Bounds;

/// <summary>Queries that follow for hours under faults of all kinds cost at the end what they cost at the beginning.</summary>
[Collection(AloneCollection.Name)]
public sealed class SoakTests(ITestOutputHelper output)
{
    /// <summary>How often the run is looked at; the first time behind a part of the faults, which have filled pools and lists.</summary>
    private const int Looks = 4;

    private static readonly ServerFault Usual = SessionFaults.Terminated;

    // The server and the reader are the same for all of them.
    private static readonly ServerFault[] Faults =
        [.. ServerFaultTests.Faults.Where(fault => fault.Connections == Usual.Connections && fault.Timeout == Usual.Timeout)];

    // Two hours, of which a share of the long tests takes a minute.
    private static readonly TimeSpan Duration = LongShare.IsWhole ? TimeSpan.FromHours(2) : TimeSpan.FromMinutes(1);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Hours_of_faults_leave_memory_handles_threads_and_statements_as_they_were()
    {
        var queries = LongShare.Of(20_000);
        await using var server = await ServerRun.StartAsync(output, queries, Usual, pause: TimeSpan.FromSeconds(1));
        await server.Run.UntilFollowingAsync();
        var start = Stopwatch.GetTimestamp();
        List<Upkeep> looks = [];
        for (var part = 1; part <= Looks; part++)
        {
            var strikes = await StrikeUntilAsync(server, start, part * Duration / Looks);
            looks.Add(await Upkeep.OfAsync(server.Run));
            output.WriteLine($"{Stopwatch.GetElapsedTime(start):h\\:mm\\:ss}, {strikes} faults, {server.Run.Ledger.Count} events: {looks[^1]}");
        }
        looks[^1].HasNotGrownSince(looks[0], queries);
        await server.EndAsync();
    }

    // At least one, however late it is.
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
