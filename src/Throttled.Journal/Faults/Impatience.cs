using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;
using Throttled.Journal.Pages;

namespace Throttled.Journal.Faults;

/// <summary>Ends queries for what is there now that have waited for the journal for 'CurrentQueryTimeout'. On the loop.</summary>
internal sealed class Impatience : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private readonly JournalContext _context;
    private readonly Outage _outage;
    private readonly LoopTimer _timer;

    internal Impatience(JournalContext context, Outage outage)
    {
        _context = context;
        _outage = outage;
        _timer = new(context.Loop, FailTheImpatient);
    }

    /// <summary>The queries that wait and of which something is true.</summary>
    internal required Func<Predicate<PageRequest>, IReadOnlyList<PageRequest>> Waiting { get; init; }

    /// <summary>Something happened: while the journal cannot be read, somebody may wait for it.</summary>
    internal void Observe()
    {
        if (!_outage.IsUp && _context.Options.CurrentQueryTimeout is not null && !_timer.IsSet)
            _timer.Set(Pause);
    }

    public void Dispose() => _timer.Dispose();

    private void FailTheImpatient(TimeSpan now)
    {
        if (_outage.IsUp || _context.Options.CurrentQueryTimeout is not { } timeout)
            return;
        foreach (var request in Waiting(request => !request.IsLive && now - AwayFor(request) >= timeout))
        {
            request.Fail(() => _context.Failure(
                $"The journal could not be read for {DurationText.Of(timeout)} ('CurrentQueryTimeout'): {Cause()}", _outage.LastError));
        }
    }

    private string Cause() => _outage.LastError is { } error ? _context.ReasonOf(error) : "The database has not answered.";

    // A wait while the database could be read does not count.
    private TimeSpan AwayFor(PageRequest request) =>
        _outage.Since is { } began && began > request.Since ? began : request.Since;
}
