using Throttled.Benchmarks.Writing;
using Throttled.Testing;

namespace Throttled.Benchmarks.Delivery;

/// <summary>Measures the time from commit to delivery, with many live queries of every kind.</summary>
internal static class DeliveryTimes
{
    private static readonly TimeSpan[] Polls = [TimeSpan.FromSeconds(1), new JournalOptions().RefreshInterval];

    internal static async Task RunAsync(string[] size)
    {
        var given = Figures.Arguments(size, ("queries", 10_000), ("seconds", 20), ("singles", 200));
        var mix = new Mix(given[0]);
        var written = new Written(given[1] * Written.PerSecond, given[2]);
        List<string> table =
        [
            "| database | queries | p50 | p99 | most | first after idle, p50 / p99 | statements per second |",
            "|---|---|---:|---:|---:|---:|---:|",
        ];
        await LiveQueries.OnEachAsync(async (database, connection) =>
        {
            table.AddRange(await MeasureAsync(connection, mix, written, notify: false));
            if (connection is not null)
                table.AddRange(await MeasureAsync(connection, mix, written, notify: true));
        });
        table.AddRange(Polls.Select(interval => OfPoller(interval, mix)));
        Results.Write(
            "delivery.md",
            "From commit to delivery",
            $"{Written.PerSecond:N0} events per second, each in its own transaction, for {written.Steady / Written.PerSecond} s, and {mix.Queries:N0} live queries:\n"
            + $"{mix.ById:N0} by id and {mix.Tags:N0} by tag, half of them on ids and tags that are written, {mix.All} for all events, {mix.Slices} for slices,\n"
            + $"{mix.PersistenceIds} for persistence ids. First after idle: {written.Singles} events, one at a time, with random pauses from 0.6 to 1.2 s.\n"
            + $"Refresh interval {Ms(Polls[1].TotalMilliseconds)}. The rows with a poller for each query are calculated: a median delay of half the interval, and one\n"
            + "statement per interval and query. `./build.sh bench delivery`",
            table);
    }

    private static async Task<IEnumerable<string>> MeasureAsync(string? connection, Mix mix, Written written, bool notify)
    {
        var journal = await OwnJournal.CreateAsync(connection, JournalTables.Default, mix.Before(DeliveryRun.EventsBefore));
        var name = notify ? $"{journal.Name}, NOTIFY" : journal.Name;
        Console.WriteLine($"{name} …");
        if (notify)
            await journal.RunAsync(await File.ReadAllTextAsync(Path.Combine(WorkingCopy.Root, "docs", "sql", "notify-postgresql.sql")));
        var figures = await new DeliveryRun(journal, mix, written).RunAsync(notify);
        Console.WriteLine($"  written: {figures.WrittenPerSecond:N0} events/s");
        if (connection is not null)
            await journal.DropAsync();
        return
        [
            $"| {name} | together | {Times(figures.Steady)} | {Ms(Figures.Percentile(figures.AfterIdle, 0.5))} / "
                + $"{Ms(Figures.Percentile(figures.AfterIdle, 0.99))} | {figures.StatementsPerSecond:N0} |",
            .. figures.ByKind.Select(one => $"| {name} | {one.Key} | {Times(one.Value)} | | |"),
        ];
    }

    private static string Times(double[] ordered) =>
        $"{Ms(Figures.Percentile(ordered, 0.5))} | {Ms(Figures.Percentile(ordered, 0.99))} | {Ms(ordered[^1])}";

    private static string OfPoller(TimeSpan interval, Mix mix)
    {
        var (half, nearly, most) = (Ms(0.5 * interval.TotalMilliseconds), Ms(0.99 * interval.TotalMilliseconds), Ms(interval.TotalMilliseconds));
        return $"| a poller for each | every {most} | {half} | {nearly} | {most} | {half} / {nearly} | {mix.Queries / interval.TotalSeconds:N0} |";
    }

    private static string Ms(double milliseconds) => $"{milliseconds:N0} ms";
}
