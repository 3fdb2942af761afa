using System.Diagnostics;
using System.Text.Json;
using BankAccounts.Handlers;
using BankAccounts.History;
using Throttled.Testing;

namespace Throttled.Benchmarks.Accounts;

/// <summary>The table of the article: the same replay in one way after the other, each checked against a recomputation.</summary>
internal sealed class ReplayRun(ReplayDatabase database, HistoryShape shape, int rounds)
{
    private const string FloorVersion = "floor";

    private readonly Dictionary<HistoryShape, Dictionary<string, Account>> _recomputed = [];
    private readonly List<ReplayFigures> _figures = [];
    private readonly List<double> _commits = [];

    /// <summary>In a process of its own: prints the report as JSON.</summary>
    /// <param name="arguments">
    /// Events, rounds, and PostgreSQL's connection string, or <c>sqlserver</c> and a connection string of that server. Without them, SQLite.
    /// </param>
    internal static async Task PrintAsync(string[] arguments)
    {
        var (events, rounds) = (int.Parse(arguments[0]), int.Parse(arguments[1]));
        var directory = Directory.CreateDirectory(Path.Combine(WorkingCopy.Root, "artifacts", $"replay-{Environment.ProcessId}"));
        try
        {
            await using ReplayDatabase database = arguments switch
            {
                [_, _, "sqlserver", var server] => new SqlServerReplay(server),
                [_, _, var server] => new PostgreSqlReplay(server),
                _ => new SqliteReplay(directory.FullName),
            };
            var report = await new ReplayRun(database, new() { Events = events, Accounts = Math.Max(1, events / 10) }, rounds).RunAsync();
            Console.WriteLine(JsonSerializer.Serialize(report, JsonSerializerOptions.Web));
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    private async Task<ReplayReport> RunAsync()
    {
        foreach (var one in ReplayRow.All(shape).Select(row => row.Shape).Distinct())
            await SeedAsync(one);
        foreach (var row in ReplayRow.All(shape))
        {
            // A disk has its moods: beside the first row, before and behind it, because that is what depends on it.
            if (_figures.Count <= 1)
            {
                await database.AnewAsync();
                _commits.AddRange(await CommitTime.MeasureAsync(database.Bank.Source, CancellationToken.None));
            }
            _figures.Add(await MeasureAsync(row));
            Console.Error.WriteLine($"{row.Name}: {_figures[^1].EventsPerSecond:N0} events/s");
        }
        return new()
        {
            Database = database.Name,
            Events = shape.Events,
            Accounts = shape.Accounts,
            CommitMs = Math.Round(Figures.Median(_commits), 3),
            Rounds = rounds,
            Rows = _figures,
        };
    }

    private async Task SeedAsync(HistoryShape one)
    {
        await database.SeedAsync(one);
        await using var journal = database.Bank.OpenReader(new JournalOptions { Tables = ReplayDatabase.TablesOf(one) });
        _recomputed[one] = await Recomputation.OfAsync(journal, CancellationToken.None);
    }

    private async Task<ReplayFigures> MeasureAsync(ReplayRow row)
    {
        List<double> seconds = [], floors = [];
        var memory = default(RoundFigures);
        for (var round = 1; round <= (row.IsMerged ? rounds : 1); round++)
        {
            if (row.IsMerged)
                floors.Add(await FloorAsync(row));
            await database.AnewAsync();
            var figures = await Task.Run(() => new ProjectionRound(database.Bank, row).RunAsync(CancellationToken.None));
            seconds.Add(figures.Seconds);
            memory = memory.Most(figures);
            await CheckAsync(ProjectionRound.Name, row);
        }
        var (time, floor) = (Figures.Median(seconds), floors.Count > 0 ? Figures.Median(floors) : (double?)null);
        var rate = row.Shape.Events / time;
        return new(
            row.Name, row.Batch, row.Lanes, row.Shape.Events, Math.Round(rate), Math.Round(_figures.Count == 0 ? 1 : rate / _figures[0].EventsPerSecond, 1),
            floor is { } under ? Math.Round(row.Shape.Events / under) : null, floor is { } below ? Math.Round(time / below, 2) : null,
            new(memory.BytesBefore / 1_000_000, memory.FirstHalf / 1_000_000, memory.SecondHalf / 1_000_000));
    }

    private async Task<double> FloorAsync(ReplayRow row)
    {
        await database.AnewAsync();
        var floor = database.OpenFloor(new(ReplayDatabase.TablesOf(row.Shape), FloorVersion, row.Batch));
        var watch = Stopwatch.StartNew();
        var events = await Task.Run(() => floor.RunAsync(CancellationToken.None));
        var seconds = watch.Elapsed.TotalSeconds;
        await CheckAsync(FloorVersion, row);
        return events == row.Shape.Events ? seconds : throw new InvalidOperationException($"The floor read {events:N0} events.");
    }

    private async Task CheckAsync(string version, ReplayRow row)
    {
        var found = await AccountCheck.RunAsync(database.Bank, AccountSql.TableOf(version), _recomputed[row.Shape], CancellationToken.None);
        if (found.Count > 0)
            throw new InvalidOperationException($"{database.Name}, {row.Name}, {version}: {found.Count:N0} accounts are wrong. {string.Join("; ", found.First)}");
    }
}
