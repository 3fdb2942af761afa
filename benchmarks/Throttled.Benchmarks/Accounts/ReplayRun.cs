using System.Data.Common;
using System.Diagnostics;
using BankAccounts.Databases;
using BankAccounts.Handlers;
using BankAccounts.History;
using BankAccounts.Replay.Floor;
using BankAccounts.Settings;
using BankAccounts.Show;
using Throttled.Journal;

namespace BankAccounts.Replay;

/// <summary>The table of the article: the same replay in one way after the other, each checked against a recomputation.</summary>
internal sealed class ReplayRun(ReplaySettings settings, IBankDatabase database, IView view)
{
    private const string FloorTarget = "floor";

    private readonly Dictionary<string, Dictionary<string, Account>> _journals = [];
    private readonly List<ReplayFigures> _figures = [];
    private readonly List<double> _commits = [];

    internal static async Task<ReplayReport> RunAsync(ReplaySettings settings, CancellationToken cancellation)
    {
        await using var database = IBankDatabase.Open(Own(settings.Bank));
        var view = IView.Open(settings.Json);
        try
        {
            var report = await new ReplayRun(settings, database, view).RunAsync(cancellation);
            view.Show(report);
            return report;
        }
        catch (DbException error) when (!cancellation.IsCancellationRequested)
        {
            throw database.Explain(error);
        }
    }

    // What a replay removes is nobody else's.
    private static BankSettings Own(BankSettings bank) => bank.Database == "sqlite"
        ? bank with { Connection = SqliteSettings.Own("replay.db"), Journal = SqliteSettings.Own("replay-journals.db") }
        : bank with { Connection = PostgreSqlSettings.InSchema(bank, ReplaySettings.Schema), Journal = PostgreSqlSettings.Read(bank).Journal };

    private async Task<ReplayReport> RunAsync(CancellationToken cancellation)
    {
        foreach (var shape in settings.Rows().Select(row => row.Shape).Distinct())
            await SeedAsync(shape, cancellation);
        foreach (var row in settings.Rows())
        {
            // A disk has its moods: beside the first row, before and behind it, because that is what depends on it.
            if (_figures.Count <= 1)
                await CommitAsync(cancellation);
            _figures.Add(await MeasureAsync(row, cancellation));
        }
        await database.ClearAsync(cancellation);
        return new()
        {
            Database = database.Name,
            Events = settings.Shape.Events,
            Accounts = settings.Shape.Accounts,
            CommitMs = Math.Round(Median(_commits), 3),
            Rounds = settings.Rounds,
            Rows = _figures,
        };
    }

    private Task SeedAsync(HistoryShape shape, CancellationToken cancellation)
    {
        var seeding = new Seeding(shape, database);
        return view.RunAsync($"journal of {shape.Events:N0} events", shape.Events, () => seeding.Seeded, async () =>
        {
            await seeding.RunAsync(cancellation);
            await using var journal = database.OpenReader(new JournalOptions { Tables = BankTables.Of(shape) });
            _journals[shape.Name] = await Recomputation.OfAsync(journal, cancellation);
            return $"{shape.Events:N0} events of {shape.Accounts:N0} accounts";
        });
    }

    private Task CommitAsync(CancellationToken cancellation) => view.RunAsync("commits by the bare driver", null, () => 0, async () =>
    {
        await AnewAsync(cancellation);
        var times = await CommitTime.MeasureAsync(database.Source, cancellation);
        _commits.AddRange(times);
        return $"{Median(times):N3} ms each";
    });

    private async Task<ReplayFigures> MeasureAsync(ReplayRow row, CancellationToken cancellation)
    {
        List<double> seconds = [], floors = [];
        Differences? wrong = null;
        for (var round = 1; round <= (row.IsMerged ? settings.Rounds : 1); round++)
        {
            if (row.IsMerged)
                floors.Add(await FloorAsync(row, cancellation));
            seconds.Add(await ProjectAsync(row, cancellation));
            var found = await CheckAsync(ProjectionRound.Name, row, cancellation);
            wrong = wrong is { Count: > 0 } ? wrong : found;
        }
        return Figures(row, Median(seconds), floors.Count > 0 ? Median(floors) : null, wrong!);
    }

    private ReplayFigures Figures(ReplayRow row, double seconds, double? floor, Differences wrong)
    {
        var rate = row.Shape.Events / seconds;
        return new()
        {
            Name = row.Name,
            Batch = row.Batch,
            Lanes = row.Lanes,
            Events = row.Shape.Events,
            Seconds = Math.Round(seconds, 3),
            EventsPerSecond = Math.Round(rate),
            Ratio = Math.Round(_figures.Count == 0 ? 1 : rate / _figures[0].EventsPerSecond, 1),
            FloorEventsPerSecond = floor is { } time ? Math.Round(row.Shape.Events / time) : null,
            OverFloor = floor is { } under ? Math.Round(seconds / under, 2) : null,
            Differences = wrong.Count,
            FirstDifference = wrong.First.Count > 0 ? wrong.First[0] : null,
        };
    }

    private async Task<double> ProjectAsync(ReplayRow row, CancellationToken cancellation)
    {
        await AnewAsync(cancellation);
        var round = new ProjectionRound(database, row);
        var seconds = 0.0;
        await view.RunAsync(row.Name, row.Shape.Events, () => round.Handled, async () =>
        {
            seconds = await Task.Run(() => round.RunAsync(cancellation), CancellationToken.None);
            return $"{seconds:N2} s, {row.Shape.Events / seconds:N0} events/s";
        });
        return seconds;
    }

    private async Task<double> FloorAsync(ReplayRow row, CancellationToken cancellation)
    {
        await AnewAsync(cancellation);
        var floor = database.OpenFloor(new(BankTables.Of(row.Shape), FloorTarget, row.Batch));
        var seconds = 0.0;
        await view.RunAsync($"floor, batches of {row.Batch:N0}", null, () => 0, async () =>
        {
            var watch = Stopwatch.StartNew();
            var events = await Task.Run(() => floor.RunAsync(cancellation), CancellationToken.None);
            seconds = watch.Elapsed.TotalSeconds;
            var wrong = await CheckAsync(FloorTarget, row, cancellation);
            return events == row.Shape.Events && wrong.Count == 0
                ? $"{seconds:N2} s, {events / seconds:N0} events/s"
                : throw new BankException($"The floor read {events:N0} events and has {wrong.Count:N0} accounts wrong. {string.Join("; ", wrong.First)}");
        });
        return seconds;
    }

    private Task<Differences> CheckAsync(string version, ReplayRow row, CancellationToken cancellation) =>
        AccountCheck.RunAsync(database, AccountSql.TableOf(version), _journals[row.Shape.Name], cancellation);

    private async Task AnewAsync(CancellationToken cancellation)
    {
        await database.ClearAsync(cancellation);
        await database.CreateAsync(cancellation);
        GC.Collect();
    }

    private static double Median(IReadOnlyCollection<double> values) => values.Order().ElementAt(values.Count / 2);
}
