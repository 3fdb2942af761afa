using System.Diagnostics;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using Throttled.Benchmarks.Replay;
using Throttled.Benchmarks.Writing;
using Throttled.Testing;

namespace Throttled.Benchmarks.Growth;

/// <summary>Measures what grows with the number of events: a journal on PostgreSQL, seeded by COPY, is read in its order.</summary>
internal static class EventGrowth
{
    private const int First = 100_000;
    private const int EventsOfEach = 100;

    // Measured: table and indexes take 240 bytes. The server's log of changes comes on top, up to max_wal_size.
    private const long BytesPerEvent = 260;
    private const long BytesOfServer = 5L << 30;

    internal static async Task RunAsync(string[] arguments)
    {
        var most = Figures.Arguments(arguments, ("most", 10_000_000))[0];
        LiveQueries.RequirePostgreSql();
        CheckDisk(most);
        using var server = PostgreSqlServer.Start(settings: new Dictionary<string, string> { ["autovacuum"] = "off" });
        var connection = server.CreateDatabase();
        var journal = await OwnJournal.CreateAsync(connection, JournalTables.Default, []);
        List<string> table =
        [
            "| events | GB on disk | COPY, events/s | floor, events/s | read in order, s | events/s | share of the floor | statements | events a statement | B allocated per event | peak heap, MB |",
            "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ];
        for (var (before, events) = (0, Math.Min(First, most)); ; (before, events) = (events, (int)Math.Min(events * 10L, most)))
        {
            Console.WriteLine($"{events:N0} events …");
            table.Add(await RowAsync(journal, connection, before, events));
            Console.WriteLine(table[^1]);
            if (events == most)
                break;
        }
        Results.Write(
            "growth-events.md",
            "The number of events",
            "One CurrentAllEvents of the engine, without Akka, over all events of a journal on PostgreSQL, which was seeded by COPY in transactions of 20,000\n"
            + $"events, {EventsOfEach} in a row for each persistence id. The floor is one statement over the same rows in the same order by the bare driver. One round of each. Bytes\n"
            + "allocated are without the payload. The peak is that of the managed heap in this process, while the engine reads. fsync is off.\n"
            + "`./build.sh bench growth events [most]`",
            table);
    }

    private static void CheckDisk(int events)
    {
        var (place, needed) = (Path.GetTempPath(), (events * BytesPerEvent) + BytesOfServer);
        if (new DriveInfo(place).AvailableFreeSpace is var free && free < needed)
        {
            throw new CrushException(FormattableString.Invariant(
                $"[most] is {events:N0}, which needs {needed >> 30:N0} GB in {place}, but {free >> 30:N0} GB are free. ")
                + (free > BytesOfServer + (First * BytesPerEvent)
                    ? FormattableString.Invariant($"Give at most {(free - BytesOfServer) / BytesPerEvent:N0}, or set TMPDIR to another disk.")
                    : "Free some space, or set TMPDIR to another disk."));
        }
    }

    private static async Task<string> RowAsync(OwnJournal journal, string connection, int before, int events)
    {
        var watch = Stopwatch.StartNew();
        await journal.AppendAsync(Enumerable.Range(before / EventsOfEach, (events - before + EventsOfEach - 1) / EventsOfEach)
            .SelectMany(id => CrushEvents.All(CrushPayload.Deposits, [$"account-{id:D8}"], Math.Min(EventsOfEach, events - (id * EventsOfEach)))));
        var seeded = watch.Elapsed.TotalSeconds;
        await journal.SettleAsync();
        // The first reads include the compilation of code.
        if (before == 0)
        {
            await FloorAsync(journal, connection, events);
            await ReadAsync(journal, events);
        }
        var floor = await FloorAsync(journal, connection, events);
        var (time, statements, peak) = await ReadAsync(journal, events);
        var size = await journal.NumberAsync("SELECT pg_database_size(current_database())");
        return $"| {events:N0} | {size / 1e9:N2} | {(events - before) / seeded:N0} | {events / floor:N0} | {time.Seconds:N2} | {events / time.Seconds:N0} | "
            + $"{floor / time.Seconds:N2} | {statements:N0} | {(double)events / statements:N0} | "
            + $"{((double)time.Allocated / events) - CrushEvents.OnHeap(CrushPayload.Deposits):N0} | {peak / 1e6:N0} |";
    }

    private static async Task<double> FloorAsync(OwnJournal journal, string connection, int events)
    {
        var watch = Stopwatch.StartNew();
        var rows = await Scans.OfPostgreSql(connection, journal.Tables).ReadAllAsync();
        return rows == events ? watch.Elapsed.TotalSeconds : throw new InvalidOperationException($"The floor read {rows:N0} rows; there are {events:N0}.");
    }

    private static async Task<(RoundTime Time, long Statements, long Peak)> ReadAsync(OwnJournal journal, int events)
    {
        using var measures = new Measures();
        await using var reader = journal.OpenReader(new());
        await using var heap = new HeapPeak();
        var time = await RoundTime.MeasureAsync(() => Task.Run(() => new Replays(reader, events).OnceAsync()));
        return (time, measures.Statements, heap.Most);
    }
}
