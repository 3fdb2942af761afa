using System.Data.Common;
using System.Diagnostics;
using Npgsql;
using Throttled.Benchmarks.Delivery;
using Throttled.Benchmarks.Writing;
using Throttled.Testing;

namespace Throttled.Benchmarks;

/// <summary>Measures what live queries deliver while the database is killed and started again.</summary>
internal sealed class RecoveryTimes : IDisposable
{
    private const int EventsBefore = 1;
    private const int PerSecond = 500;
    private const int Seconds = 20;

    private static readonly TimeSpan Killed = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan StartedAgain = TimeSpan.FromSeconds(8);
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(250);

    private readonly PostgreSqlServer _server = PostgreSqlServer.Start();
    private readonly Mix _mix;
    private readonly JournalEvent[] _events;
    private readonly Arrivals _arrivals;
    private readonly List<long> _committed = [];
    private long _begin;

    private RecoveryTimes(int queries)
    {
        _mix = new(queries);
        _events = [.. Enumerable.Range(0, PerSecond * Seconds).Select(place => _mix.Event(place, EventsBefore))];
        _arrivals = new(_mix, _events.Length);
    }

    internal static async Task RunAsync(string[] arguments)
    {
        using var run = new RecoveryTimes(Figures.Arguments(arguments, ("queries", 10_000))[0]);
        await run.RunAsync();
    }

    public void Dispose() => _server.Dispose();

    private async Task RunAsync()
    {
        var journal = await OwnJournal.CreateAsync(_server.ConnectionString(), new JournalTables(), _mix.Before(EventsBefore));
        using var measures = new CrushTest.Engine.Measures();
        List<TimedQuery> queries;
        await using (var reader = journal.OpenReader(new JournalOptions()))
        {
            queries = [.. _mix.Open(reader, _arrivals)];
            await DeliveryRun.FollowAsync(measures, queries);
            _begin = Stopwatch.GetTimestamp();
            await Task.WhenAll(WriteAsync(journal), Task.Run(FaultAsync));
            // Fails if an event does not arrive at each of its queries.
            await _arrivals.WaitAsync(.._events.Length);
        }
        await _arrivals.EndAsync();
        Write(queries.Count, queries.First(query => query.Kind == "all"));
    }

    private async Task FaultAsync()
    {
        await UntilAsync(Killed);
        _server.Kill();
        await UntilAsync(StartedAgain);
        _server.Start();
    }

    private async Task WriteAsync(OwnJournal journal)
    {
        await using var appender = journal.OpenAppender();
        for (var place = 0; place < _events.Length; place++)
        {
            await UntilAsync(TimeSpan.FromSeconds((double)place / PerSecond));
            while (!await AppendedAsync(appender, _events[place]))
                await Task.Delay(50);
            _arrivals.Committed(place);
            _committed.Add(Stopwatch.GetTimestamp());
        }
    }

    // If the server was killed after a commit and before its answer, the next attempt finds the event.
    private static async Task<bool> AppendedAsync(JournalAppender appender, JournalEvent one)
    {
        try
        {
            await appender.AppendAsync([one]);
            return true;
        }
        catch (DbException error)
        {
            return error.SqlState == PostgresErrorCodes.UniqueViolation;
        }
    }

    private async Task UntilAsync(TimeSpan time)
    {
        if (time - Stopwatch.GetElapsedTime(_begin) is { Ticks: > 0 } early)
            await Task.Delay(early);
    }

    private void Write(int queries, TimedQuery all)
    {
        var (committed, delivered) = (PerStep(_committed), PerStep(all.Arrived.Select(one => one.At)));
        List<string> table = ["| second | committed/s | delivered/s |", "|---:|---:|---:|"];
        for (var step = 0; step < Math.Max(committed.Length, delivered.Length); step++)
            table.Add($"| {(step + 1) * Step.TotalSeconds:N2} | {committed.ElementAtOrDefault(step):N0} | {delivered.ElementAtOrDefault(step):N0} |");
        Results.Write(
            "recovery.md",
            "The database is killed and started again",
            $"{queries:N0} live queries of all kinds follow a journal on PostgreSQL; one writer appends {PerSecond} events per second and repeats what fails. The server is\n"
            + $"killed {Killed.TotalSeconds:N0} s after the begin and started {(StartedAgain - Killed).TotalSeconds:N0} s later. Delivered are the events of one query of all events. "
            + "Every event arrived at\neach of its queries; the run fails otherwise. `./build.sh bench recovery`",
            table);
    }

    /// <summary>The rate in each step since the begin.</summary>
    private double[] PerStep(IEnumerable<long> times)
    {
        var steps = times.Select(time => (int)(Stopwatch.GetElapsedTime(_begin, time) / Step)).ToList();
        var rates = new double[steps.Max() + 1];
        foreach (var step in steps)
            rates[step] += 1 / Step.TotalSeconds;
        return rates;
    }
}
