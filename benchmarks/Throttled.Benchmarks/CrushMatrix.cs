using CrushTest.Databases;
using CrushTest.Show;

namespace Throttled.Benchmarks;

/// <summary>Runs the crush test in its own process, on SQLite and PostgreSQL, with several page sizes or payloads.</summary>
internal static class CrushMatrix
{
    private static readonly (string, int)[] Sizes = [("streams", 100_000), ("events", 100)];

    internal static async Task EngineAsync(string[] size)
    {
        var given = Figures.Arguments(size, Sizes);
        string[][] runs = [["--page", "100"], ["--page", "10"]];
        var reports = await RunAsync(given, ["--engine"], runs);
        await LiveQueries.OnHugePagesAsync(async (database, connection) =>
            reports.AddRange((await RunAsync(database, connection, given, ["--engine"], runs)).Select(one => one with { Database = LiveQueries.NameWithHugePages(one.Database) })));
        Results.Write(
            "by-id.md",
            "Live queries by persistence id",
            $"{reports[0].Streams:N0} live queries run at once on {reports[0].EventsPerStream:N0} events each, to the last event, with 100 permits. The floor reads the\n"
            + "same rows with the bare driver, a hundred ids per statement, in the same run: three rounds of each in turn, medians.\n"
            + "PostgreSQL 15 or later with fsync off, which does not affect reading. Huge pages: `huge_pages` is on (else off),\n"
            + "with 200 pages of 2 MB (`vm.nr_hugepages`). `./build.sh bench by-id`",
            EngineTable(reports));
    }

    internal static async Task ActorsAsync(string[] size)
    {
        var given = Figures.Arguments(size, [.. Sizes, ("rounds", 1)]);
        var reports = await RunAsync(given, ["--memory", "--rounds", $"{given[2]}"], [["--page", "100"], ["--page", "10"]]);
        Results.Write("actors.md", "Live queries in actors", Text(reports[0]), [.. Times(reports), "", .. AtRest(reports)]);
    }

    /// <summary>Actors with subscriptions, and no streams.</summary>
    internal static async Task SubscriptionsAsync(string[] size)
    {
        var given = Figures.Arguments(size, [.. Sizes, ("rounds", 3)]);
        var reports = await RunAsync(given, ["--readers", "subscriptions", "--memory", "--rounds", $"{given[2]}"], [["--page", "100"], ["--page", "10"]]);
        Results.Write(
            "subscriptions.md",
            "Subscriptions of actors",
            $"{reports[0].Streams:N0} actors at once. Each has a live subscription to its own {reports[0].EventsPerStream:N0} events, without a stream; 100 permits. To compare, in the same\n"
            + $"run: the floor, and the same queries of the engine without Akka. {given[2]} rounds of each in turn, medians. The bytes of a live subscription\n"
            + "include its actor, which has the compact mailbox. PostgreSQL 15 or later with fsync off, which does not affect reading.\n`./build.sh bench subscriptions`",
            Subscriptions(reports));
    }

    /// <summary>Live streams of events that must be decoded, with each serializer.</summary>
    internal static async Task DecodingAsync(string[] size)
    {
        var given = Figures.Arguments(size, ("streams", 10_000), ("events", 100), ("rounds", 3));
        var reports = await RunAsync(
            given, ["--page", "10", "--readers", "streams", "--idle", "1", "--rounds", $"{given[2]}"], [.. CrushPayload.Names.Select(name => (string[])["--payload", name])]);
        Results.Write(
            "decoding.md",
            "Events that are decoded",
            $"{given[0]:N0} actors at once, each with a live stream of {given[1]:N0} events, with pages of 10 and 100 permits; {given[2]} rounds in turn, medians. A payload is a\n"
            + "byte array, an int, or a record with two texts and two numbers. Akka's default serializer is Newtonsoft's JSON with type names; the others are\n"
            + "a serializer of the application with a manifest: System.Text.Json with generated code, and protobuf's own reader and writer. Decoding alone:\n"
            + "the time to decode all payloads on all cores, without streams and journal. The last column has this time in the sum too. `./build.sh bench decoding`",
            Decoding(reports));
    }

    private static async Task<List<CrushReport>> RunAsync(int[] size, string[] common, string[][] runs)
    {
        List<CrushReport> reports = [];
        await LiveQueries.OnEachAsync(async (database, connection) => reports.AddRange(await RunAsync(database, connection, size, common, runs)));
        return reports;
    }

    private static async Task<List<CrushReport>> RunAsync(string database, string? connection, int[] size, string[] common, string[][] runs)
    {
        List<CrushReport> reports = [];
        foreach (var run in runs)
        {
            Console.WriteLine($"{database}, {string.Join(' ', run)} …");
            string[] where = connection is null ? [] : ["--connection", connection];
            reports.Add(await CrushProcess.RunAsync<CrushReport>(
                ["--streams", $"{size[0]}", "--events", $"{size[1]}", "--database", database, .. where, .. common, .. run, "--json"]));
        }
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

    private static IEnumerable<string> Subscriptions(List<CrushReport> reports)
    {
        yield return "| database | page | time over the engine | time over floor | statements | most at once | failed, missing, doubled, out of order | "
            + "B allocated per event | B per live subscription | delivery p50 / p99 |";
        yield return "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|";
        foreach (var one in reports)
        {
            yield return $"| {one.Database} | {one.Page} | {one.SubscriptionRatioToEngine:N2} × | {one.Ratio:N2} × | {one.Statements:N0} | "
                + $"{one.MaxInFlight} | {Flaws(one)} | {one.AllocatedPerSubscriptionEvent:N0} | {one.BytesPerLiveSubscription:N0} | "
                + $"{one.DeliveryP50Ms:N0} / {one.DeliveryP99Ms:N0} ms |";
        }
    }

    private static IEnumerable<string> Decoding(List<CrushReport> reports)
    {
        yield return "| database | payload | bytes | serializer | actors, s | engine, s | empty streams, s | decoding alone, s | decoding, ns an event | "
            + "B allocated per event | time over engine + empty streams | with decoding |";
        yield return "|---|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|";
        foreach (var one in reports)
        {
            var payload = CrushPayload.Named(one.Payload);
            yield return $"| {one.Database} | {payload.Content} | {payload.Bytes(1).Length} | {payload.Serializer} | {one.Seconds:N3} | {one.EngineSeconds:N3} | "
                + $"{one.EmptySeconds:N3} | {one.DecodingSeconds:N3} | {1e9 * one.DecodingSeconds / one.AllEvents:N0} | {one.AllocatedPerEvent:N0} | "
                + $"{one.RatioToParts:N2} × | {WithDecoding(one):N2} × |";
        }
    }

    private static double? WithDecoding(CrushReport one) => one.Seconds / (one.EngineSeconds + one.EmptySeconds + one.DecodingSeconds);

    private static string Text(CrushReport one) =>
        $"{one.Streams:N0} actors at once. Each sends a live `EventsByPersistenceId` to itself (`Sink.ActorRef`) and reads {one.EventsPerStream:N0} events, to the last\n"
        + "event; 100 permits, refresh interval 1 s. To compare, in the same run: the same queries of the engine without Akka, and\n"
        + $"empty streams to the same actors, from a source that counts to {one.EventsPerStream:N0} and stays open. "
        + (one.Rounds == 1 ? "One round of each.\n" : $"Medians of {one.Rounds} rounds of each in turn.\n")
        + "Payloads are byte arrays; \"with decoding\" adds the time to decode all of them alone. PostgreSQL 15 or later with fsync off,\n"
        + "which does not affect reading. `./build.sh bench actors`";

    private static IEnumerable<string> Times(List<CrushReport> reports)
    {
        yield return "| database | page | payload | time over floor | over engine + empty streams | with decoding | over empty streams alone | "
            + "statements | most at once | failed, missing, doubled, out of order |";
        yield return "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|";
        foreach (var one in reports)
        {
            yield return $"| {one.Database} | {one.Page} | {one.Payload} | {one.Ratio:N2} × | {one.RatioToParts:N2} × | "
                + $"{WithDecoding(one):N2} × | {one.Seconds / one.EmptySeconds:N2} × | "
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
