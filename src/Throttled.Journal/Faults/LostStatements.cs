using Throttled.Journal.Loop;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Faults;

/// <summary>
/// Statements whose connection broke while they ran. Each keeps its permit until the server says that it has ended, or the
/// server's own time-out must have ended it. On the loop.
/// </summary>
internal sealed class LostStatements : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(250);

    private readonly List<(LostStatement Statement, Action Ended)> _lost = [];
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
        _lost.Add((statement, ended));
        if (!_timer.IsSet)
            _timer.Set(TimeSpan.Zero);
    }

    public void Dispose() => _timer.Dispose();

    private void Look()
    {
        var now = _context.Loop.Time.GetUtcNow();
        End(lost => lost.EndsAt <= now);
        if (_lost.Count == 0)
            return;
        if (_outage.IsUp)
            Ask();
        else
            _timer.Set(Pause);
    }

    private void Ask()
    {
        List<LostStatement> asked = [.. _lost.Select(lost => lost.Statement)];
        IReadOnlyList<LostStatement> running = asked;
        _reserved.Run(
            "lost",
            async (database, cancellation) => running = await database.StillRunningAsync(asked, cancellation).ConfigureAwait(false),
            error =>
            {
                if (error is null)
                    End(lost => asked.Contains(lost) && !running.Contains(lost));
                if (_lost.Count > 0)
                    _timer.Set(Pause);
            });
    }

    private void End(Predicate<LostStatement> hasEnded)
    {
        for (var i = _lost.Count - 1; i >= 0; i--)
        {
            var (statement, ended) = _lost[i];
            if (!hasEnded(statement))
                continue;
            _lost.RemoveAt(i);
            ended();
        }
    }
}
