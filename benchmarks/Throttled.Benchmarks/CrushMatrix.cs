using CrushTest.Show;

namespace Throttled.Benchmarks;

/// <summary>Runs the crush test in its own process, on SQLite and PostgreSQL, with two page sizes.</summary>
internal static class CrushMatrix
{
    internal static async Task EngineAsync(string[] size)
    {
        var reports = await RunAsync(size, ["--engine"], [["--page", "100"], ["--page", "10"]]);
        Results.Write(
            "by-id.md",
            "Live queries by persistence id",
            $"{reports[0].Streams:N0} live queries run at once on {reports[0].EventsPerStream:N0} events each, to the last event, with 100 permits. The floor reads the\n"
            + "same rows with the bare driver, a hundred ids per statement, in the same run: three rounds of each in turn, medians.\n"
            + "PostgreSQL 15 or later with fsync off, which does not affect reading. `./build.sh bench by-id`",
            EngineTable(reports));
    }

    internal static async Task ActorsAsync(string[] size)
    {
        var rounds = size.ElementAtOrDefault(2) ?? "1";
        string[][] runs = [["--page", "100"], ["--page", "10"], ["--page", "10", "--payload", "int"]];
        var reports = await RunAsync(size, ["--memory", "--rounds", rounds], runs);
        Results.Write("actors.md", "Live queries in actors", Text(reports[0]), [.. Times(reports), "", .. AtRest(reports)]);
    }

    private static async Task<List<CrushReport>> RunAsync(string[] size, string[] common, string[][] runs)
    {
        var (streams, events) = (size.ElementAtOrDefault(0) ?? "100000", size.ElementAtOrDefault(1) ?? "100");
        List<CrushReport> reports = [];
        await LiveQueries.OnEachAsync(async (database, connection) =>
        {
            foreach (var run in runs)
            {
                Console.WriteLine($"{database}, {string.Join(' ', run)} …");
                string[] where = connection is null ? [] : ["--connection", connection];
                reports.Add(await CrushProcess.RunAsync<CrushReport>(
                    ["--streams", streams, "--events", events, "--database", database, .. where, .. common, .. run, "--json"]));
            }
        });
        return reports;
    }

    private static IEnumerable<string> EngineTable(List<CrushReport> reports)
    {
        yield return "| database | page | time over floor | statements | most at once | failed, missing, doubled, out of order | "
            + "B allocated per event | B per idle query | delivery p50 / p99 |";
        yield return "|---|---:|---:|---:|---:|---:|---:|---:|---:|";
        foreach (var one in reports)
        {
            yield return $"| {one.Database} | {one.Page} | {one.Ratio:N2} × | {one.Statements:N0} | {one.MaxInFlight} | {Flaws(one)} | "
                + $"{one.AllocatedPerEvent:N0} | {one.BytesPerLiveQuery:N0} | {one.DeliveryP50Ms:N0} / {one.DeliveryP99Ms:N0} ms |";
        }
    }

    private static string Text(CrushReport one) =>
        $"{one.Streams:N0} actors at once. Each sends a live `EventsByPersistenceId` to itself (`Sink.ActorRef`) and reads {one.EventsPerStream:N0} events, to the last\n"
        + "event; 100 permits, refresh interval 1 s. To compare, in the same run: the same queries of the engine without Akka, and\n"
        + $"empty streams to the same actors, from a source that counts to {one.EventsPerStream:N0} and stays open. "
        + (one.Rounds == 1 ? "One round of each.\n" : $"Medians of {one.Rounds} rounds of each in turn.\n")
        + "Payloads are byte arrays, or numbers in the JSON of Akka's default serializer; \"with decoding\" adds the time to decode\n"
        + "all of them alone. PostgreSQL 15 or later with fsync off,\n"
        + "which does not affect reading. `./build.sh bench actors`";

    private static IEnumerable<string> Times(List<CrushReport> reports)
    {
        yield return "| database | page | payload | time over floor | over engine + empty streams | with decoding | over empty streams alone | "
            + "statements | most at once | failed, missing, doubled, out of order |";
        yield return "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|";
        foreach (var one in reports)
        {
            yield return $"| {one.Database} | {one.Page} | {one.Payload} | {one.Ratio:N2} × | {one.RatioToParts:N2} × | "
                + $"{one.Seconds / (one.EngineSeconds + one.EmptySeconds + one.DecodingSeconds):N2} × | {one.Seconds / one.EmptySeconds:N2} × | "
                + $"{one.Statements:N0} | {one.MaxInFlight} | {Flaws(one)} |";
        }
    }

    private static IEnumerable<string> AtRest(List<CrushReport> reports)
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

    private static string Flaws(CrushReport one) => $"{one.Failed}, {one.Missing}, {one.Doubled}, {one.OutOfOrder}";
}
