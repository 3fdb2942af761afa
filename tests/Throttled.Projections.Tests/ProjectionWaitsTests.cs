using System.Text;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests;

/// <summary>Callers that wait until a running projection has their events.</summary>
public sealed class ProjectionWaitsTests : IAsyncLifetime
{
    private static readonly TimeSpan Long = TimeSpan.FromHours(5);

    private readonly HostedFiles _files = new();
    private JournalReader _journal = null!;
    private JournalAppender _appender = null!;

    public async Task InitializeAsync()
    {
        _appender = SqliteJournal.OpenAppender(_files.JournalString);
        await _appender.CreateAsync();
        _journal = _files.OpenJournal();
    }

    public async Task DisposeAsync()
    {
        await _journal.DisposeAsync();
        await _appender.DisposeAsync();
        _files.Delete();
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_caller_reads_its_own_writes(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("CREATE TABLE seen (number int PRIMARY KEY)");
        await using var projection = Start(readModel, Insert());
        var waits = new ProjectionWaits(_journal, readModel.ReadModel);
        await _appender.AppendAsync([Event("first", 1, 0)]);
        for (var number = 1; number <= 20; number++)
        {
            await _appender.AppendAsync([Event($"id-{number % 3}", (number + 2) / 3, number)]);
            await waits.WaitForAsync("seen", $"id-{number % 3}", (number + 2) / 3, Long);
            Assert.Equal(1, await readModel.CountAsync($"seen WHERE number = {number}"));
        }
        await Wait.UntilAsync(() => waits.IsIdle, () => "the last poll");
    }

    [Fact]
    public async Task One_poll_serves_all_waits()
    {
        await using var readModel = await TestReadModel.CreateAsync(OnSqliteAttribute.Name);
        await readModel.VersionAsync();
        await _appender.AppendAsync([.. Enumerable.Range(1, 300).Select(number => Event($"id-{number}", 1, number))]);
        var clock = new FakeClock();
        var waits = new ProjectionWaits(_journal, readModel.ReadModel, clock);
        var all = Enumerable.Range(1, 300).Select(number => waits.WaitForAsync("accounts", $"id-{number}", 1, TimeSpan.FromDays(1))).ToList();
        await Wait.UntilAsync(() => waits.Count == 300, () => "all waits");
        await readModel.MoveToAsync(300);
        await readModel.MoveToAsync(300, 512, 1023);
        var polls = waits.Polls;
        await Wait.UntilAsync(
            () =>
            {
                clock.Advance(TimeSpan.FromMilliseconds(50));
                return all.TrueForAll(each => each.IsCompleted);
            },
            () => "all events");
        await Task.WhenAll(all);
        await Wait.UntilAsync(() => waits.Polls > polls, () => "the poll is counted");
        // One may have begun before the lanes moved.
        Assert.InRange(waits.Polls - polls, 1, 2);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task After_a_reset_a_caller_waits_until_its_event_is_handled_again(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("CREATE TABLE seen (number int PRIMARY KEY)");
        await _appender.AppendAsync([.. Enumerable.Range(1, 50).Select(number => Event($"id-{number}", 1, number))]);
        await using var projection = Start(readModel, Insert().Prepare((scope, cancellation) => scope.ExecuteAsync("DELETE FROM seen", cancellation)));
        var control = new ProjectionControl(readModel.ReadModel, HurriedClock.Instance);
        var waits = new ProjectionWaits(_journal, readModel.ReadModel);
        for (var round = 0; round < 3; round++)
        {
            for (var number = 1; number <= 50; number += 7)
            {
                await waits.WaitForAsync("seen", $"id-{number}", 1, Long);
                Assert.Equal(1, await readModel.CountAsync($"seen WHERE number = {number}"));
            }
            await waits.WaitUntilLevelAsync("seen", Long);
            Assert.Equal(50, await readModel.CountAsync("seen"));
            await control.ResetAsync("seen");
        }
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_caller_waits_for_all_events_of_the_journal(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("CREATE TABLE seen (number int PRIMARY KEY)");
        await _appender.AppendAsync([.. Enumerable.Range(1, 500).Select(number => Event($"id-{number}", 1, number))]);
        await using var projection = Start(readModel, Insert());
        await new ProjectionWaits(_journal, readModel.ReadModel).WaitUntilLevelAsync("seen", Long);
        Assert.Equal(500, await readModel.CountAsync("seen"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_dead_letter_and_what_queues_behind_it_end_the_wait(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _appender.AppendAsync([Event("id", 1, 1), Event("id", 2, 2)]);
        await using var projection = Start(readModel, new HandlerBuilder().Event<int>((_, _, _) => throw new InvalidOperationException("poison")));
        var waits = new ProjectionWaits(_journal, readModel.ReadModel);
        var first = await Assert.ThrowsAsync<ProjectionException>(() => waits.WaitForAsync("seen", "id", 1, Long));
        Assert.Contains("as a dead letter: System.InvalidOperationException: poison", first.Message, StringComparison.Ordinal);
        var second = await Assert.ThrowsAsync<ProjectionException>(() => waits.WaitForAsync("seen", "id", 2, Long));
        Assert.Contains("it queues behind the dead letter id", second.Message, StringComparison.Ordinal);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_time_out_says_what_the_lane_does(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await _appender.AppendAsync([Event("id", 1, 1)]);
        var clock = new FakeClock();
        var waits = new ProjectionWaits(_journal, readModel.ReadModel, clock);
        var stopped = waits.WaitForAsync("accounts", "id", 1, TimeSpan.FromSeconds(10));
        await Wait.UntilAsync(() => waits.Polls > 0, () => "a poll");
        clock.Advance(TimeSpan.FromSeconds(10));
        var error = await Assert.ThrowsAsync<TimeoutException>(() => stopped);
        Assert.Contains("'accounts' has not handled the events in time. Lane", error.Message, StringComparison.Ordinal);
        Assert.Contains("up to ordering 0 of 1; no process runs it", error.Message, StringComparison.Ordinal);
        var missing = await Assert.ThrowsAsync<TimeoutException>(
            () => new ProjectionWaits(_journal, readModel.ReadModel).WaitForAsync("accounts", "other", 3, TimeSpan.FromMilliseconds(1)));
        Assert.Contains("the journal has no event 3 of 'other'", missing.Message, StringComparison.Ordinal);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Unknown_projections_time_out_and_wrong_arguments_are_refused(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await _appender.AppendAsync([Event("id", 1, 1)]);
        var clock = new FakeClock();
        var waits = new ProjectionWaits(_journal, readModel.ReadModel, clock);
        var mistyped = waits.WaitForAsync("acounts", "id", 1, Long);
        await Wait.UntilAsync(() => waits.Polls > 0, () => "a poll");
        clock.Jump(Long);
        var unknown = await Assert.ThrowsAsync<TimeoutException>(() => mistyped);
        Assert.Contains("no projection 'acounts'", unknown.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => waits.WaitForAsync("accounts", "id", 0, Long));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => waits.WaitForAsync("accounts", "id", 1, TimeSpan.Zero));
        using var cancelled = new CancellationTokenSource();
        var others = new ProjectionWaits(_journal, readModel.ReadModel);
        var wait = others.WaitForAsync("accounts", "id", 1, Long, cancelled.Token);
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wait);
        await Wait.UntilAsync(() => others.IsIdle, () => "the last poll");
    }

    // The lanes of the tables count, whether they have an offset row or not.
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Only_the_registered_lane_of_the_id_is_waited_for(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: 4);
        string[] ids = [.. Enumerable.Range(0, 4).Select(lane => Enumerable.Range(1, 10_000).Select(number => $"id-{number}").First(id => JournalSlices.Of(id) / 256 == lane))];
        await _appender.AppendAsync([.. ids.Select((id, index) => Event(id, 1, index))]);
        // Lane 1 has passed its event; lanes 0 and 2 have passed nothing; the row of lane 3 is not there.
        await readModel.MoveToAsync(4, 256, 511);
        await readModel.ExecuteAsync("DELETE FROM throttled_projection_offset WHERE first_slice = 768");
        var clock = new FakeClock();
        var waits = new ProjectionWaits(_journal, readModel.ReadModel, clock);
        await waits.WaitForAsync("accounts", ids[1], 1, Long);

        await TimesOutAsync(0, "Lane 0 has handled the journal up to ordering 0 of 1;");
        await TimesOutAsync(3, "Lane 3 has handled the journal up to ordering 0 of 4;");
        await readModel.ExecuteAsync("DELETE FROM throttled_projection_lane");
        await TimesOutAsync(1, "Its read model has no lanes in the tables.");

        async Task TimesOutAsync(int lane, string reason)
        {
            var before = waits.Polls;
            var wait = waits.WaitForAsync("accounts", ids[lane], 1, Long);
            await Wait.UntilAsync(
                () =>
                {
                    // Less than the time-out.
                    if (waits.Count > 0)
                        clock.Advance(TimeSpan.FromMilliseconds(50));
                    return waits.Polls > before + 1;
                },
                () => "two polls");
            clock.Jump(Long);
            Assert.Contains(reason, (await Assert.ThrowsAsync<TimeoutException>(() => wait)).Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Events_outside_the_slices_of_a_projection_are_not_waited_for()
    {
        await using var readModel = await TestReadModel.CreateAsync(OnSqliteAttribute.Name);
        await readModel.Store.CreateVersionAsync(TestReadModel.Row(lanes: 1), new(0, 1), TestReadModel.Nothing, null, default);
        var outside = Enumerable.Range(1, 100).Select(number => $"id-{number}").First(id => JournalSlices.Of(id) > 1);
        await _appender.AppendAsync([Event(outside, 1, 1)]);
        await new ProjectionWaits(_journal, readModel.ReadModel).WaitForAsync("accounts", outside, 1, Long);
    }

    private static HandlerBuilder Insert() => new HandlerBuilder().Event<int>((handled, transaction, cancellation) =>
        transaction.ExecuteAsync("INSERT INTO seen VALUES (@number)", cancellation, ("number", handled.Payload)));

    private static JournalEvent Event(string id, long sequenceNumber, int number) => new()
    {
        PersistenceId = id, SequenceNumber = sequenceNumber, Manifest = "number", Payload = Encoding.UTF8.GetBytes($"{number}"),
    };

    private Projection Start(TestReadModel readModel, HandlerBuilder handler)
    {
        var projection = new Projection(_journal, readModel.ReadModel, handler.Build(), new()
        {
            Name = "seen", Lanes = 3, OnFailure = FailurePolicy.DeadLetter, MaxAttempts = 1, Decoder = new JsonEvents().Add<int>("number").Decode, TimeProvider = HurriedClock.Instance,
        });
        projection.Start();
        return projection;
    }
}
