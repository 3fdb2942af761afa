using CrushTest.Akka.Show;

namespace Throttled.Benchmarks.Akka;

/// <summary>The crush test with actors as its own process, on both databases, with two sizes of page and both kinds of payload.</summary>
internal static class AkkaCrushMatrix
{
    private static readonly (string Page, string Payload)[] Runs = [("100", "bytes"), ("10", "bytes"), ("10", "int")];

    internal static async Task RunAsync(string[] size)
    {
        var (streams, events, rounds) =
            (size.ElementAtOrDefault(0) ?? "100000", size.ElementAtOrDefault(1) ?? "100", size.ElementAtOrDefault(2) ?? "1");
        List<AkkaCrushReport> reports = [];
        await LiveQueries.OnEachAsync(async (database, connection) =>
        {
            foreach (var (page, payload) in Runs)
            {
                Console.WriteLine($"{database}, pages of {page}, {payload} …");
                string[] where = connection is null ? [] : ["--connection", connection];
                string[] what = ["--page", page, "--payload", payload, "--database", database, .. where];
                reports.Add(await CrushProcess.RunAsync<AkkaCrushReport>(
                    ["--streams", streams, "--events", events, "--rounds", rounds, .. what, "--json"]));
            }
        });
        Results.Write("crush-akka.md", "Live queries in actors", Text(reports[0]), [.. Times(reports), "", .. AtRest(reports)]);
    }

    private static string Text(AkkaCrushReport one) =>
        $"{one.Streams:N0} actors at once, each with a live `EventsByPersistenceId` into itself (`Sink.ActorRef`) on {one.Events:N0} events, to the last\n"
        + "event, 100 permits, refresh interval 1 s. Beside them in the same run: the same queries of the engine without Akka, and\n"
        + $"empty streams, a source that counts to {one.Events:N0} and stays alive, into the same actors. "
        + (one.Rounds == 1 ? "One round of each.\n" : $"Medians of {one.Rounds} rounds of each in turn.\n")
        + "Payloads are byte arrays, or numbers in the JSON of Akka's default serializer; \"with decoding\" adds the time that decoding\n"
        + "all of them takes alone. PostgreSQL 15 or later with fsync off,\n"
        + "which reading does not notice. `./build.sh bench crush-akka`";

    private static IEnumerable<string> Times(List<AkkaCrushReport> reports)
    {
        yield return "| database | page | payload | time over engine + empty streams | with decoding | over empty streams alone | "
            + "statements | most at once | failed, missing, doubled, out of order |";
        yield return "|---|---:|---|---:|---:|---:|---:|---:|---:|";
        foreach (var one in reports)
        {
            yield return $"| {one.Database} | {one.Page} | {one.Payload} | {one.Ratio:N2} × | "
                + $"{one.Seconds / (one.EngineSeconds + one.EmptySeconds + one.DecodingSeconds):N2} × | {one.Seconds / one.EmptySeconds:N2} × | "
                + $"{one.Statements:N0} | {one.MaxInFlight} | {one.Failed}, {one.Missing}, {one.Doubled}, {one.OutOfOrder} |";
        }
    }

    private static IEnumerable<string> AtRest(List<AkkaCrushReport> reports)
    {
        yield return "| database | page | payload | B per live stream | per empty stream | difference | idle statements per second | "
            + "delivery p50 / p99 | peak MB |";
        yield return "|---|---:|---|---:|---:|---:|---:|---:|---:|";
        foreach (var one in reports)
        {
            yield return $"| {one.Database} | {one.Page} | {one.Payload} | {one.BytesPerLiveStream:N0} | {one.BytesPerEmptyStream:N0} | "
                + $"{one.BytesPerLiveStream - one.BytesPerEmptyStream:N0} | {one.IdleStatementsPerSecond:N1} | "
                + $"{one.DeliveryP50Ms:N0} / {one.DeliveryP99Ms:N0} ms | {one.PeakMemoryMb:N0} |";
        }
    }
}
