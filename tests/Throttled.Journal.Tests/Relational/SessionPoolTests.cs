using System.Collections.Concurrent;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Tests.Relational;

public sealed class SessionPoolTests : IAsyncDisposable
{
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    private readonly FakeClock _clock = new();
    private readonly ConcurrentQueue<string> _closed = [];
    private readonly TaskCompletionSource _closing = new();
    private readonly SessionPool<string> _pool;

    public SessionPoolTests()
    {
        _pool = new(_clock, async session =>
        {
            if (session.StartsWith("slow", StringComparison.Ordinal))
                await _closing.Task;
            _closed.Enqueue(session);
        });
    }

    public ValueTask DisposeAsync()
    {
        _closing.TrySetResult();
        return _pool.DisposeAsync();
    }

    [Fact]
    public async Task The_last_used_session_is_used_next()
    {
        await ReturnAsync("a", "b");
        Assert.Equal("b", _pool.Take());
        await ReturnAsync("c");
        Assert.Equal(["c", "a", null], Taken(3));
    }

    [Fact]
    public async Task A_session_idle_for_a_minute_is_closed_even_if_no_other_returns()
    {
        await ReturnAsync("a");
        _clock.Advance(Minute / 2);
        await ReturnAsync("b");
        _clock.Advance((Minute / 2) - TimeSpan.FromTicks(1));
        Assert.Equal(Minute, _clock.NextRing);
        _clock.Advance(TimeSpan.FromTicks(1));
        await ClosedAsync("a");
        Assert.Equal(Minute + (Minute / 2), _clock.NextRing);
        _clock.Advance(Minute / 2);
        await ClosedAsync("a", "b");
        Assert.Null(_pool.Take());
    }

    [Fact]
    public async Task A_session_used_within_a_minute_is_never_closed()
    {
        await ReturnAsync("a");
        for (var call = 0; call < 5; call++)
        {
            _clock.Advance(Minute - TimeSpan.FromTicks(1));
            Assert.Equal("a", _pool.Take());
            await ReturnAsync("a");
        }
        await _pool.DisposeAsync();
        Assert.Equal(["a"], _closed);
    }

    [Fact]
    public async Task A_session_that_becomes_idle_for_a_minute_during_the_check_is_not_lost()
    {
        string[] sessions = [.. Enumerable.Range('a', 20).Select(letter => $"{(char)letter}")];
        await using var pool = new SessionPool<string>(new CreepingClock(_clock), session =>
        {
            _closed.Enqueue(session);
            return Task.CompletedTask;
        });
        foreach (var session in sessions)
        {
            await pool.ReturnAsync(session);
            _clock.Advance(TimeSpan.FromTicks(10));
        }
        _clock.Advance(Minute - TimeSpan.FromTicks(200));
        await pool.DisposeAsync();
        Assert.Equal(sessions, _closed.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Without_idle_sessions_no_timer_is_set()
    {
        Assert.Equal(0, _clock.Set);
        await ReturnAsync("a", "b", "c");
        Assert.Equal(1, _clock.Set);
        _clock.Advance(Minute);
        Assert.Equal(0, _clock.Set);
        await ClosedAsync("a", "b", "c");
    }

    [Fact]
    public async Task Dropping_a_session_closes_idle_sessions_and_none_in_use()
    {
        await ReturnAsync("a", "b", "broken", "used");
        Assert.Equal(["used", "broken"], Taken(2));
        await _pool.DropAsync("broken");
        await ClosedAsync("a", "b", "broken");
        await ReturnAsync("used");
        Assert.Equal(["used", null], Taken(2));
    }

    [Fact]
    public async Task Dropping_a_session_does_not_wait_for_the_others_but_disposal_does()
    {
        await ReturnAsync("slow");
        await _pool.DropAsync("broken").WithinAsync("the closing of the session that broke");
        var end = _pool.DisposeAsync().AsTask();
        Assert.Equal(["broken"], _closed);
        Assert.False(end.IsCompleted);
        _closing.SetResult();
        await end.WithinAsync("the end of the journal");
        Assert.Equal(["broken", "slow"], _closed);
    }

    [Fact]
    public async Task Disposal_waits_for_idle_sessions_that_are_being_closed()
    {
        await ReturnAsync("slow");
        _clock.Advance(Minute);
        var end = _pool.DisposeAsync().AsTask();
        Assert.False(end.IsCompleted);
        _closing.SetResult();
        await end.WithinAsync("the end of the journal");
        Assert.Equal(["slow"], _closed);
    }

    [Fact]
    public async Task A_disposed_pool_gives_no_session_and_closes_each_that_returns()
    {
        await ReturnAsync("idle", "used");
        _pool.Take();
        await _pool.DisposeAsync();
        Assert.Equal(["idle"], _closed);
        Assert.Throws<ObjectDisposedException>(_pool.Take);
        await ReturnAsync("used");
        Assert.Equal(["idle", "used"], _closed);
        Assert.Equal(0, _clock.Alive);
    }

    private async Task ReturnAsync(params string[] sessions)
    {
        foreach (var session in sessions)
            await _pool.ReturnAsync(session);
    }

    private List<string?> Taken(int count) => [.. Enumerable.Range(0, count).Select(_ => _pool.Take())];

    private Task ClosedAsync(params string[] sessions) => Wait.UntilAsync(
        () => _closed.Order(StringComparer.Ordinal).SequenceEqual(sessions), () => $"closed: {string.Join(", ", _closed)}");

    // The clock advances by one tick with each read.
    private sealed class CreepingClock(FakeClock clock) : TimeProvider
    {
        private long _reads;

        public override long TimestampFrequency => clock.TimestampFrequency;

        public override long GetTimestamp() => clock.GetTimestamp() + Interlocked.Increment(ref _reads);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            clock.CreateTimer(callback, state, dueTime, period);
    }
}
