using Throttled.Journal.Loop;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Faults;

/// <summary>
/// Sessions whose connection broke while a statement ran. Each keeps its permit until the server says that it has ended; where the server
/// cannot be queried, until its own time-out must have ended it. On the loop.
/// </summary>
internal sealed class LostStatements : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(250);

    private readonly List<(LostStatement Statement, TimeSpan EndsAt, Action Ended)> _lost = [];
    private readonly JournalContext _context;
    private readonly ReservedStatements _reserved;
    private readonly Outage _outage;
    private readonly LoopTimer _timer;

    internal LostStatements(JournalContext context, ReservedStatements reserved, Outage outage)
    {
        _context = context;
        _reserved = reserved;
        _outage = outage;
        _timer = new(context.Loop, _ => Look());
    }

    internal int Count => _lost.Count;

    /// <param name="statement">The statement.</param>
    /// <param name="ended">Called once, on the loop, when it has ended.</param>
    internal void Add(LostStatement statement, Action ended)
    {
        _lost.Add((statement, _context.Loop.Now + statement.AtMost, ended));
        if (!_timer.IsSet)
            _timer.Set(TimeSpan.Zero);
    }

    /// <summary>The journal can be read, and so the server queried.</summary>
    internal void CameUp()
    {
        if (_lost.Count > 0)
            _timer.Set(TimeSpan.Zero);
    }

    public void Dispose() => _timer.Dispose();

    private void Look()
    {
        var now = _context.Loop.Now;
        End(lost => lost.Statement.Backend is null && lost.EndsAt <= now);
        List<LostStatement> known = [.. _lost.Select(lost => lost.Statement).Where(lost => lost.Backend is not null)];
        if (known.Count > 0 && _outage.IsUp)
        {
            Ask(known);
            return;
        }
        if (known.Count < _lost.Count)
            _timer.Set(Pause);
        // Who waits for the end of a broken session does not poll by itself.
        if (known.Count > 0 && _outage.IsNeeded())
            _outage.Need();
    }

    private void Ask(List<LostStatement> asked)
    {
        IReadOnlyList<LostStatement> running = asked;
        _reserved.Run(
            "lost",
            async (database, cancellation) => running = await database.StillRunningAsync(asked, cancellation).ConfigureAwait(false),
            error =>
            {
                if (error is null)
                    End(lost => asked.Contains(lost.Statement) && !running.Contains(lost.Statement));
                else
                    Failed(error);
                if (_lost.Count > 0)
                    _timer.Set(Pause);
            });
    }

    // Where the server is gone, it is queried when it is back. One that refuses to answer is taken at its word: the time-out.
    private void Failed(Exception error)
    {
        var kind = _context.Database.Classify(error);
        var now = _context.Loop.Now;
        if (kind == FaultKind.Fatal)
            End(lost => lost.EndsAt <= now);
        else if (kind is FaultKind.ConnectionLost or FaultKind.TooManyConnections)
            _outage.Report(kind, error);
    }

    private void End(Predicate<(LostStatement Statement, TimeSpan EndsAt, Action Ended)> hasEnded)
    {
        for (var i = _lost.Count - 1; i >= 0; i--)
        {
            var lost = _lost[i];
            if (!hasEnded(lost))
                continue;
            _lost.RemoveAt(i);
            lost.Ended();
        }
    }
}
