using System.Collections.Concurrent;

namespace Throttled.Simulation;

public sealed class CoverageTests
{
    private const int Seeds = 2_000;

    // The numbers at the end are event ids of JournalLog.
    private static readonly string[] Expected =
    [
        "ConnectionLost", "Fatal", "MissingTable", "TimedOut", "TooManyConnections", "Transient",
        "a cancellation is acknowledged", "a late commit", "a rollback", "a prepared transaction",
        "rows are marked as deleted", "rows are removed", "rows are in the reorder buffer", "rows in the reorder buffer are dropped",
        "a page is forgotten under its reader", "the bytes are spent",
        "a page statement is lost", "a reserved statement is lost", "the server ends a lost statement",
        "the server goes away", "the server comes back",
        "a shared statement by persistence id", "a shared statement in journal order", "a query goes back into its queue",
        "a statement waits for a token", "more permits are out than there are now",
        "the journal tells that it was written to", "the journal's word breaks off",
        "disposal while statements run", "disposal while the tail polls", "disposal while a lost statement runs",
        "disposal while the server is down", "disposal while queries wait",
        "connections lead to another server", "a call on another server is refused", "what was seen is not there yet",
        "calls move to a server that is behind", "calls move to the primary",
        "another server takes the place of one", "the newest rows are lost where a server takes its place back",
        "the newest row is removed", "the newest row has gone while the server's name changes",
        "no connection can be opened: ConnectionLost", "no connection can be opened: TooManyConnections", "no connection can be opened: Transient",
        "refused: Fatal", "refused: MissingTable", "refused: TimedOut", "refused: Unreadable", "a query ends because it is refused",
        "a poll does not know the open transactions", "a poll refuses the order to a query",
        .. Standings("cancelled"), .. Standings("closed"),
        .. new[] { 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14, 15, 18, 19, 21, 22, 23 }.Select(id => $"log {id}"),
    ];

    [Fact, Trait("Category", "Long")]
    public void The_simulations_reach_every_case()
    {
        var kinds = new ConcurrentDictionary<string, int>(StringComparer.Ordinal);
        Parallel.For(1, Seeds + 1, seed =>
        {
            using var simulation = new EngineSimulation(seed);
            simulation.Run();
            foreach (var kind in simulation.Coverage.Kinds)
                kinds.AddOrUpdate(kind, 1, static (_, count) => count + 1);
        });
        Assert.Empty(Expected.Except(kinds.Keys));
    }

    private static IEnumerable<string> Standings(string what) =>
        from standing in new[]
        {
            "New", "in line", "a statement reads for it", "its statement is to be repeated", "waiting for the head", "following and waiting",
            "in a page", "AtEnd", "Closed",
        }
        select $"{what}: {standing}";
}
