using Throttled.Journal.Database;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Faults;

/// <summary>
/// Sessions whose connection broke while a statement ran. Each keeps its permit until the server reports that the statement has ended. If the server
/// cannot be queried, the session keeps the permit until the statement's time-out has passed. On the loop.
/// </summary>
internal sealed class BrokenSessions : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(250);

    private readonly List<(BrokenSession Statement, TimeSpan EndsAt, Action Ended)> _broken = [];
    private readonly JournalContext _context;
    private readonly ReservedPermit _reserved;
    private readonly CircuitBreaker _breaker;
    private readonly LoopTimer _timer;

    internal BrokenSessions(JournalContext context, ReservedPermit reserved, CircuitBreaker breaker)
    {
        _context = context;
        _reserved = reserved;
        _breaker = breaker;
        _timer = new(context.Loop, _ => Check());
    }

    internal int Count => _broken.Count;

    internal void Add(BrokenSession session, Action ended)
    {
        _broken.Add((session, _context.Loop.Now + session.AtMost, ended));
        if (!_timer.IsSet)
            _timer.Set(TimeSpan.Zero);
    }

    /// <summary>Call this when the journal can be read again; the server is then queried at once.</summary>
    internal void Recovered()
    {
        if (_broken.Count > 0)
            _timer.Set(TimeSpan.Zero);
    }

    public void Dispose() => _timer.Dispose();

    private void Check()
    {
        var now = _context.Loop.Now;
        End(lost => lost.Statement.Backend is null && lost.EndsAt <= now);
        List<BrokenSession> known = [.. _broken.Select(lost => lost.Statement).Where(broken => broken.Backend is not null)];
        if (known.Count > 0 && _breaker.IsAvailable)
        {
            CheckOnServer(known);
            return;
        }
        if (known.Count < _broken.Count)
            _timer.Set(Pause);
        // Queries that wait for the end of a broken session do not request a probe themselves.
        if (known.Count > 0 && _breaker.IsProbeNeeded())
            _breaker.RequestProbe();
    }

    private void CheckOnServer(List<BrokenSession> requested)
    {
        IReadOnlyList<BrokenSession> running = requested;
        _reserved.Run(
            "lost",
            async (database, cancellation) => running = await database.StillRunningAsync(requested, cancellation).ConfigureAwait(false),
            error =>
            {
                if (error is null)
                    End(lost => requested.Contains(lost.Statement) && !running.Contains(lost.Statement));
                else
                    Failed(error);
                if (_broken.Count > 0)
                    _timer.Set(Pause);
            });
    }

    // If the connection is lost, query the server again after it recovers. If the server refuses the query, rely on the statement's time-out.
    private void Failed(Exception error)
    {
        var kind = _context.Database.Classify(error);
        var now = _context.Loop.Now;
        if (kind == FaultKind.Fatal)
            End(lost => lost.EndsAt <= now);
        else if (kind is FaultKind.ConnectionLost or FaultKind.TooManyConnections)
            _breaker.RecordFailure(kind, error);
    }

    private void End(Predicate<(BrokenSession Statement, TimeSpan EndsAt, Action Ended)> hasEnded)
    {
        for (var i = _broken.Count - 1; i >= 0; i--)
        {
            var lost = _broken[i];
            if (!hasEnded(lost))
                continue;
            _broken.RemoveAt(i);
            lost.Ended();
        }
    }
}
