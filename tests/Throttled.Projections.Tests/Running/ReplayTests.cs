using System.Collections.Concurrent;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tests.Handlers;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests.Running;

/// <summary>Which events a handler gets as a replay, and which handlers run in a rebuild.</summary>
public sealed class ReplayTests : IDisposable
{
    private readonly JournaledNumbers _journal = new();
    private readonly ConcurrentQueue<string> _handled = new();

    public void Dispose() => _journal.Dispose();

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Events_from_before_the_first_start_or_the_last_reset_are_replays_and_later_ones_are_not(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:2", "c:3");
        await using (var first = Run(readModel, new Recording(_handled)))
        {
            await first.CaughtUpAsync(3);
            await _journal.AppendAsync("a:4", "d:5");
            await first.CaughtUpAsync(5);
        }
        Assert.Equal("counters: 1r 2r 3r 4 5", Handled());
        await _journal.AppendAsync("b:6");
        await using var second = Run(readModel, new Recording(_handled));
        await second.CaughtUpAsync(6);
        Assert.Equal("counters: 6", Handled());
        await second.Control.ResetAsync("counters", 2);
        await _journal.AppendAsync("a:7");
        await second.CaughtUpAsync(7);
        Assert.Equal("counters: 3r 4r 5r 6r 7", Handled());
        await second.Control.ResetAsync("counters");
        await second.CaughtUpAsync(7);
        Assert.Equal("counters: 1r 2r 3r 4r 5r 6r 7r", Handled());
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_rebuilt_version_gets_its_history_as_replays_before_and_after_the_swap(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await using var run = Run(await _journal.AppendAsync(), readModel, new Recording(_handled));
        await Wait.UntilAsync(async () => (await run.Control.StatusAsync("counters")).Count == 1, () => "the first version");
        await _journal.AppendAsync("a:1", "b:2");
        await run.CaughtUpAsync(2);
        await run.Control.RebuildAsync("counters", "second");
        await run.CaughtUpAsync(2, "second");
        await _journal.AppendAsync("a:3");
        await run.CaughtUpAsync(3);
        await run.CaughtUpAsync(3, "second");
        await run.Control.SwapAsync("counters", "second");
        await _journal.AppendAsync("b:4");
        await run.CaughtUpAsync(4, "second");
        Assert.Equal("counters: 1 2 3; second: 1r 2r 3 4", Handled());
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_dead_letter_of_the_history_is_a_replay_when_it_is_retried(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "a:2");
        var handler = new Recording(_handled) { Fails = 1 };
        await using var run = Run(readModel, handler, options => options with { OnFailure = FailurePolicy.DeadLetter, MaxAttempts = 1 });
        await run.CaughtUpAsync(2);
        await _journal.AppendAsync("a:3");
        await run.CaughtUpAsync(3);
        Assert.Equal("", Handled());
        handler.Fails = 0;
        await run.Control.RetryAllAsync("counters");
        Assert.Equal("counters: 1r 2r 3", Handled());
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_reset_names_the_dead_letters_whose_events_come_again_as_replays(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var handler = new Recording(_handled) { Fails = 1 };
        await using var run = Run(await _journal.AppendAsync(), readModel, handler, options => options with { OnFailure = FailurePolicy.DeadLetter, MaxAttempts = 1, BatchSize = 1 });
        await Wait.UntilAsync(async () => (await run.Control.StatusAsync("counters")).Count == 1, () => "the first version");
        await _journal.AppendAsync("a:1", "b:2", "a:3");
        await run.CaughtUpAsync(3);
        Assert.Equal("counters: 2", Handled());
        handler.Fails = 2;
        Assert.Equal(
            "'counters' is empty and begins with the first event. 2 dead letters were removed; their events come again as replays.",
            await run.Control.ResetAsync("counters"));
        await run.CaughtUpAsync(3);
        Assert.Equal("counters: 1r 3r", Handled());
        Assert.Equal("'counters' goes on after 1. 1 dead letter was removed; its event comes again as a replay.", await run.Control.ResetAsync("counters", 1));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_rebuild_is_refused_if_its_effects_would_be_repeated_outside_the_read_model(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:2");
        await using var run = Run(readModel, new Delivering(_handled));
        await run.CaughtUpAsync(2);
        var refusal = await Assert.ThrowsAsync<ProjectionException>(() => run.Control.RebuildAsync("counters", "second"));
        Assert.Equal(
            "The handler of 'counters' has effects outside the read model, and a rebuild would repeat all of them. To repeat them, reset the live read model. "
            + "If each version has effects of its own, such as an index with its name, let 'RunsInRebuild' of the handler return true.", refusal.Message);
        Assert.Single(await run.Control.StatusAsync("counters"));
        Assert.Equal("counters: 1r 2r", Handled());
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_rebuild_that_a_handler_does_not_run_in_any_more_stops_has_no_effects_and_can_be_dropped(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:2");
        await using (var willing = Run(readModel, new Delivering(_handled) { Rebuilds = true }))
        {
            await willing.CaughtUpAsync(2);
            await willing.Control.RebuildAsync("counters", "second");
            await willing.CaughtUpAsync(2, "second");
        }
        Assert.Equal("counters: 1r 2r; second: 1r 2r", Handled());
        await using var run = Run(readModel, new Delivering(_handled));
        await _journal.AppendAsync("a:3");
        await run.CaughtUpAsync(3);
        await Wait.UntilAsync(async () => (await run.StatusAsync("second")).Lanes.All(lane => lane.State == LaneState.Failed), () => "the rebuild to stop");
        Assert.Contains("would repeat all of them", (await run.StatusAsync("second")).Lanes[0].Error, StringComparison.Ordinal);
        Assert.Contains("failed lanes", (await Assert.ThrowsAsync<ProjectionException>(() => run.Control.SwapAsync("counters", "second"))).Message, StringComparison.Ordinal);
        await run.Control.DropAsync("counters", "second");
        Assert.Equal("counters: 3", Handled());
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_journal_that_is_away_at_the_first_start_has_its_history_as_replays_when_it_is_back(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:2");
        _journal.Hide();
        await using var run = Run(readModel, new Recording(_handled));
        await Wait.UntilAsync(async () => await run.Control.StatusAsync("counters") is [{ Lanes: [{ Owner: not null }, ..] }], () => "lanes");
        _journal.Show();
        await run.CaughtUpAsync(2);
        await _journal.AppendAsync("a:3");
        await run.CaughtUpAsync(3);
        Assert.Equal("counters: 1r 2r 3", Handled());
    }

    [Fact]
    public void Only_lanes_of_a_shard_that_is_away_wait_for_the_end_of_its_history_in_all_processes()
    {
        var (isAway, calls) = (true, 0);
        var cluster = new Cluster { Map = ShardMap.Parse("0-3,4-1023") };
        // The first shard is asked first.
        cluster.End = () => calls++ % 2 == 0 || !isAway ? 1_000 : throw new JournalException("away", new TimeoutException());
        var (first, second) = (cluster.Start("a"), cluster.Start("b"));
        cluster.Advance(30);
        Assert.Equal($"0-3:1000,4-15:{VersionHistory.Unknown}", cluster.Tables.Versions["p"].Row.History.Text);
        Assert.Equal("0,1,2,3", string.Join(',', new[] { first.Lanes(), second.Lanes() }.Order(StringComparer.Ordinal)));
        isAway = false;
        cluster.Advance(6);
        Assert.Equal("0-15:1000", cluster.Tables.Versions["p"].Row.History.Text);
        Assert.All(new[] { first, second }, process => Assert.All(process.Worker().Running, lane => Assert.True(process.Worker().Started[lane].History.IsKnown)));
        Assert.Equal("0,1,2,3", string.Join(',', new[] { first.Lanes(), second.Lanes() }.Order(StringComparer.Ordinal)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void History_ends_below_the_events_that_may_still_commit(bool isAwayAtFirst)
    {
        var isAway = isAwayAtFirst;
        var cluster = new Cluster();
        cluster.Now = () => isAway ? throw new JournalException("away", new TimeoutException()) : Task.FromResult(940L);
        var process = cluster.Start("a");
        cluster.Advance(6);
        Assert.Equal(isAwayAtFirst ? $"0-15:{VersionHistory.Unknown}" : "0-15:940", cluster.Tables.Versions["p"].Row.History.Text);
        isAway = false;
        cluster.Advance(6);
        Assert.Equal("0-15:940", cluster.Tables.Versions["p"].Row.History.Text);
        Assert.All(process.Worker().Running, lane => Assert.True(process.Worker().Started[lane].History.IsKnown));
    }

    private string Handled()
    {
        var events = _handled.ToList();
        _handled.Clear();
        return string.Join("; ", events.Select(text => text.Split(' ')).GroupBy(parts => parts[0], parts => parts[1]).OrderBy(version => version.Key)
            .Select(version => $"{version.Key}: {string.Join(' ', version.Order(StringComparer.Ordinal))}"));
    }

    private ProjectionRun Run(TestReadModel readModel, ProjectionHandler handler, Func<ProjectionOptions, ProjectionOptions>? change = null) =>
        Run(_journal, readModel, handler, change);

    private static ProjectionRun Run(JournaledNumbers journal, TestReadModel readModel, ProjectionHandler handler, Func<ProjectionOptions, ProjectionOptions>? change = null) =>
        ProjectionRun.Start(journal.Open(), readModel.ReadModel, handler, change);

    private static string Text(string version, ProjectionEvent handled) => $"{version} {handled.Payload}{(handled.IsReplay ? "r" : "")}";

    private sealed class Recording(ConcurrentQueue<string> handled) : TransactionalHandler
    {
        internal int Fails { get; set; }

        public override Task HandleAsync(ProjectionEvent @event, ReadModelTransaction transaction, CancellationToken cancellationToken)
        {
            if ((int)@event.Payload == Fails)
                throw new InvalidOperationException("poison");
            handled.Enqueue(Text(transaction.Version, @event));
            _ = transaction.Transaction;
            return Task.CompletedTask;
        }
    }

    private sealed class Delivering(ConcurrentQueue<string> handled) : AtLeastOnceHandler
    {
        internal bool Rebuilds { get; init; }

        public override bool RunsInRebuild => Rebuilds;

        public override Task HandleAsync(ProjectionEvent @event, string version, CancellationToken cancellationToken)
        {
            handled.Enqueue(Text(version, @event));
            return Task.CompletedTask;
        }
    }
}
