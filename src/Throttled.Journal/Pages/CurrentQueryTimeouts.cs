using Throttled.Journal.Database;
using Throttled.Journal.Faults;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Pages;

/// <summary>Fails current queries that have waited for the journal for 'CurrentQueryTimeout'. On the loop.</summary>
internal sealed class CurrentQueryTimeouts : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private readonly JournalContext _context;
    private readonly CircuitBreaker _breaker;
    private readonly LoopTimer _timer;

    internal CurrentQueryTimeouts(JournalContext context, CircuitBreaker breaker)
    {
        _context = context;
        _breaker = breaker;
        _timer = new(context.Loop, FailTimedOut);
    }

    internal required Func<Predicate<PageRequest>, IReadOnlyList<PageRequest>> Waiting { get; init; }

    /// <summary>Starts the timer if the journal cannot be read, because queries may wait for it.</summary>
    internal void Observe()
    {
        if (!_breaker.IsAvailable && _context.Options.CurrentQueryTimeout is not null && !_timer.IsSet)
            _timer.Set(Pause);
    }

    public void Dispose() => _timer.Dispose();

    private void FailTimedOut(TimeSpan now)
    {
        if (_breaker.IsAvailable || _context.Options.CurrentQueryTimeout is not { } timeout)
            return;
        foreach (var request in Waiting(request => !request.IsLive && now - UnavailableSince(request) >= timeout))
        {
            request.Fail(() => _context.Failure(
                $"The journal could not be read for {DurationText.Of(timeout)} ('CurrentQueryTimeout'): {Cause()}", _breaker.LastError));
        }
    }

    private string Cause() => _breaker.LastError is { } error ? _context.ReasonOf(error) : "The database has not answered.";

    // Time during which the database could be read does not count.
    private TimeSpan UnavailableSince(PageRequest request) => _breaker.Since is { } began && began > request.WaitsSince ? began : request.WaitsSince;
}
