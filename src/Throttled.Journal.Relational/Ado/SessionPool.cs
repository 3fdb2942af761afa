namespace Throttled.Journal.Relational;

/// <summary>
/// The open sessions of one journal that no call uses now. The pool has no limit of its own, because the engine's permits limit the sessions. The
/// session that was used last is used next. Sessions that were idle for a minute are closed. Thread-safe.
/// </summary>
/// <typeparam name="TSession">An open connection, used by one call at a time.</typeparam>
internal sealed class SessionPool<TSession> : IAsyncDisposable
    where TSession : class
{
    private static readonly TimeSpan IdleTime = TimeSpan.FromMinutes(1);

    private readonly TimeProvider _clock;
    private readonly Func<TSession, Task> _close;
    private readonly ITimer _timer;
    private readonly Lock _lock = new();
    private readonly List<Idle> _idle = [];
    private Task _closing = Task.CompletedTask;
    private bool _timerIsSet;
    private bool _disposed;

    /// <param name="clock">The journal's clock.</param>
    /// <param name="close">Closes a session. If it fails, the disposal fails.</param>
    internal SessionPool(TimeProvider clock, Func<TSession, Task> close)
    {
        _clock = clock;
        _close = close;
        _timer = clock.CreateTimer(_ => DropCold(), state: null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <returns>The session that was used last; null if none is idle.</returns>
    /// <exception cref="ObjectDisposedException">The journal was closed.</exception>
    internal TSession? Take()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_idle.Count == 0)
                return null;
            var session = _idle[^1].Session;
            _idle.RemoveAt(_idle.Count - 1);
            return session;
        }
    }

    /// <summary>Takes back a session after its call has ended. If the journal was closed, closes the session.</summary>
    internal Task ReturnAsync(TSession session) => Keep(session) ? Task.CompletedTask : _close(session);

    /// <summary>
    /// Closes a session that must not be used again, and all idle sessions: if one connection broke, the others may be broken too. The returned task
    /// does not wait for the idle sessions; <see cref="DisposeAsync"/> does.
    /// </summary>
    internal Task DropAsync(TSession session)
    {
        Drop(_ => true);
        return _close(session);
    }

    /// <summary>Closes the idle sessions. Sessions in use are closed when they are returned.</summary>
    public async ValueTask DisposeAsync()
    {
        lock (_lock)
            _disposed = true;
        await _timer.DisposeAsync().ConfigureAwait(false);
        Drop(_ => true);
        Task closing;
        lock (_lock)
            closing = _closing;
        await closing.ConfigureAwait(false);
    }

    private bool Keep(TSession session)
    {
        lock (_lock)
        {
            if (_disposed)
                return false;
            _idle.Add(new(session, _clock.GetTimestamp()));
            if (!_timerIsSet)
                SetTimer(IdleTime);
            return true;
        }
    }

    private void DropCold()
    {
        // Read the clock once. Drop applies the condition twice, and must find the same sessions both times.
        var now = _clock.GetTimestamp();
        Drop(idle => IdleFor(idle, now) >= IdleTime);
        lock (_lock)
        {
            _timerIsSet = false;
            // The first session has been idle for the longest time.
            if (_idle.Count > 0)
                SetTimer(IdleTime - IdleFor(_idle[0], now));
        }
    }

    private void SetTimer(TimeSpan due)
    {
        _timerIsSet = true;
        _timer.Change(due < TimeSpan.Zero ? TimeSpan.Zero : due, Timeout.InfiniteTimeSpan);
    }

    private TimeSpan IdleFor(Idle idle, long now) => _clock.GetElapsedTime(idle.Since, now);

    private void Drop(Predicate<Idle> which)
    {
        lock (_lock)
        {
            var dropped = _idle.FindAll(which);
            _idle.RemoveAll(which);
            if (dropped.Count > 0)
                _closing = Task.WhenAll(_closing, Task.Run(() => Task.WhenAll(dropped.Select(idle => _close(idle.Session)))));
        }
    }

    // Since is a timestamp of the clock.
    private readonly record struct Idle(TSession Session, long Since);
}

/// <summary>
/// A connection could not be opened, for a reason that does not concern any statement: a password provider failed, or a server or a pooler was not
/// ready. A retry may succeed.
/// </summary>
internal sealed class OpeningException(string reason, Exception inner) : Exception($"A connection could not be opened: {reason}", inner);
