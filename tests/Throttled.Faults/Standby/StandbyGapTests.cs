using Throttled.Faults.World;
using Throttled.Testing.Scripted;

namespace Throttled.Faults.Standby;

/// <summary>
/// A standby does not show which transaction has an ordering. The reader waits for transactions that have written. For a transaction that may have
/// taken an ordering without writing, it waits only for the gap timeout, and only while the replay goes on.
/// </summary>
[Collection(AloneCollection.Name)]
public sealed class StandbyGapTests : IDisposable
{
    private readonly RecordedLog _log = new();

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task On_a_standby_a_transaction_that_has_written_is_waited_for_longer_than_the_gap_timeout()
    {
        await using var world = await StandbyWorld.StartAsync();
        var (meter, reading) = await FollowAsync(world, new());
        await using var open = await world.Journal.BeginAsync();
        await open.InsertAsync(TestEvents.One("late", 1));
        await world.Journal.AppendAsync("next", 1, 1);
        // Logged when the gap has been open for five times the timeout.
        await Wait.UntilAsync(() => _log.CountOf(15) == 1, "a stalled high-water mark");
        await meter.MoreAsync(3, "keys");
        Assert.Equal(1, reading.Count);
        await open.CommitAsync();
        (await reading.UntilAsync(3)).AreExactly(["first/1", "late/1", "next/1"]);
        Assert.Equal((1, 0, 1), (_log.CountOf(6), _log.CountOf(17), _log.CountOf(22)));
        await reading.DisposeAsync();
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task On_a_standby_a_transaction_that_takes_an_ordering_and_writes_nothing_for_the_gap_timeout_is_skipped()
    {
        await using var world = await StandbyWorld.StartAsync();
        var (_, reading) = await FollowAsync(world, new());
        await using var byId = LiveReading.Of(reading.Reader.EventsByPersistenceId("late"));
        await using var open = await world.Journal.BeginAsync();
        var drawn = await DrawAsync(open);
        await world.Journal.AppendAsync("next", 1, 1);
        await reading.UntilAsync(2);
        await open.InsertAsync(TestEvents.One("late", 1).At(drawn));
        await open.CommitAsync();
        await world.Journal.AppendAsync("late", 2, 1);

        // The event is skipped in journal order; by persistence id it is delivered with the next one of its id.
        (await reading.UntilAsync(3)).AreExactly(["first/1", "next/1", "late/2"]);
        (await byId.UntilAsync(2)).AreExactly(["late/1", "late/2"]);
        Assert.Equal((1, 0), (_log.CountOf(6), _log.CountOf(17)));
        Assert.Contains("is a standby, where the locks of writers cannot be seen", _log.TextsOf(6)[0], StringComparison.Ordinal);
        await reading.DisposeAsync();
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task On_a_standby_that_does_not_replay_no_transaction_is_skipped()
    {
        await using var world = await StandbyWorld.StartAsync();
        var (meter, reading) = await FollowAsync(world, new(), gapTimeout: 10);
        await using var open = await world.Journal.BeginAsync();
        var drawn = await DrawAsync(open);
        await world.Journal.AppendAsync("next", 1, 1);
        await meter.MoreAsync(2, "keys");
        await world.PauseAsync();
        // The standby has received more than it has replayed, so it has not caught up.
        await open.InsertAsync(TestEvents.One("late", 1).At(drawn));
        await open.CommitAsync();
        // Five polls a second, for longer than the gap timeout.
        await meter.MoreAsync(75, "keys");
        Assert.Equal(1, reading.Count);
        await world.ResumeAsync();
        (await reading.UntilAsync(3)).AreExactly(["first/1", "late/1", "next/1"]);
        await reading.DisposeAsync();
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task On_a_standby_a_skipped_transaction_is_named_in_the_log()
    {
        await using var world = await StandbyWorld.StartAsync();
        var (_, reading) = await FollowAsync(world, new() { OnGapTimeout = GapTimeoutAction.Skip });
        await using var open = await world.Journal.BeginAsync();
        var ordering = (await open.InsertAsync(TestEvents.One("late", 1)))[0];
        await world.Journal.AppendAsync("next", 1, 1);
        (await reading.UntilAsync(2)).AreExactly(["first/1", "next/1"]);
        // There is also an entry for the wait at the start, because on a standby an open transaction can never be excluded.
        Assert.Contains(_log.TextsOf(17), text => text.Contains($"{ordering}", StringComparison.Ordinal));
        await open.CommitAsync();
        await reading.DisposeAsync();
    }

    public void Dispose() => _log.Dispose();

    // If the server logs an ordering in the WAL, its transaction gets an id that the standby knows. The server logs one of 32 orderings, and the first
    // after a checkpoint. The ordering right after that of the first event is not logged.
    private static async Task<long> DrawAsync(RawTransaction transaction)
    {
        var drawn = await transaction.ScalarAsync<long>("SELECT nextval(pg_get_serial_sequence('journal', 'ordering'))");
        Assert.True(await transaction.ScalarAsync<bool>("SELECT pg_current_xact_id_if_assigned() IS NULL"), "The ordering was logged in the WAL.");
        return drawn;
    }

    private async Task<(StatementMeter Meter, Follower Follower)> FollowAsync(StandbyWorld world, JournalOptions options, int gapTimeout = 1)
    {
        await world.Journal.AppendAsync("first", 1, 1);
        var (meter, reader) = StatementMeter.Of(() => world.Journal.OpenReader(options with { GapTimeout = TimeSpan.FromSeconds(gapTimeout), LoggerFactory = _log }));
        var follower = new Follower(reader);
        await meter.UntilFollowingAsync(1);
        await follower.UntilAsync(1);
        return (meter, follower);
    }

    private sealed class Follower(JournalReader reader) : IAsyncDisposable
    {
        private readonly LiveReading<JournalEvent> _reading = LiveReading.Of(reader.AllEvents());

        internal JournalReader Reader => reader;

        internal int Count => _reading.Count;

        internal Task<IReadOnlyList<JournalEvent>> UntilAsync(int count) => _reading.UntilAsync(count);

        public ValueTask DisposeAsync() => _reading.DisposeAsync();
    }
}
