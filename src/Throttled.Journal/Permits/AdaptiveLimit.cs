using Microsoft.Extensions.Logging;
using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Permits;

/// <summary>
/// The number of permits: as configured, at most as many as the server and the ceiling allow, and fewer for a time after the server had no free
/// connection. On the loop.
/// </summary>
internal sealed class AdaptiveLimit : IDisposable
{
    private const int InitialLimit = 8;

    // The user kept the default, so a lower limit is logged at Debug only.
    private static readonly int Default = new JournalOptions().MaxConcurrentQueries;

    private static readonly TimeSpan Recovery = TimeSpan.FromSeconds(10);

    private readonly JournalContext _context;
    private readonly IPermitSource _permits;
    private readonly PermitCeiling? _outer;
    private readonly LoopTimer _timer;
    private int _ceiling;
    private int _limit;
    private (int, ConnectionBudget?) _reported;
    private int _current = InitialLimit;

    internal AdaptiveLimit(JournalContext context, IPermitSource permits, PermitCeiling? outer = null)
    {
        _context = context;
        _permits = permits;
        _timer = new(context.Loop, _ => Recover());
        _limit = _ceiling = context.Options.MaxConcurrentQueries;
        _outer = outer;
        if (outer is null)
            return;
        ApplyOuter();
        outer.OnChange(() => context.Loop.Post(static self => ((AdaptiveLimit)self).ApplyOuter(), this));
    }

    /// <summary>The most permits; 0 if the ceiling lets no statement start.</summary>
    internal int Limit => Math.Min(_limit, _outer?.Permits ?? int.MaxValue);

    /// <summary>Whether the rate at which statements start is limited.</summary>
    internal bool IsRateLimited => PerSecond > 0;

    private int PerSecond => (_context.Options.MaxQueriesPerSecond, _outer?.PerSecond ?? 0) switch
    {
        (0, var outer) => outer,
        (var own, 0) => own,
        var (own, outer) => Math.Min(own, outer),
    };

    /// <summary>
    /// The number of permits to use now. It begins low and rises with each successful statement, like TCP's slow start (RFC 5681, section 3.1). A
    /// short burst is then over before a hundred connections are open.
    /// </summary>
    internal int Current => Math.Min(_current, Limit);

    internal void RecordSuccess()
    {
        if (_current < Limit)
            _current++;
    }

    /// <summary>Applies the server's limit from a probe.</summary>
    internal void SetCeiling(ProbeResult result)
    {
        var configured = _context.Options.MaxConcurrentQueries;
        var ceiling = Math.Min(configured, result.StatementCeiling);
        if (result.Budget is { } budget && _reported != (ceiling, budget))
        {
            var taken = ceiling + budget.Others;
            _context.Log.Budget(taken, budget.Usable, ceiling, budget.Others, Math.Max(0, budget.Usable - taken), configured);
            _reported = (ceiling, budget);
        }
        if (ceiling == _ceiling)
            return;
        if (ceiling < configured)
            _context.Log.CeilingApplied(configured == Default ? LogLevel.Debug : LogLevel.Information, ceiling, configured, result.CeilingReason);
        _ceiling = ceiling;
        Set(ceiling);
    }

    /// <summary>Lowers the limit, because the server had no free connection while <paramref name="running"/> statements ran.</summary>
    internal void Reduce(int running)
    {
        // No connection runs a statement of this journal, so a lower limit would not help.
        if (running == 0)
            return;
        var limit = Math.Max(1, Math.Min(Limit, running) - 1);
        _context.Log.LimitReduced(limit);
        Set(limit);
        _timer.Set(Recovery);
    }

    public void Dispose() => _timer.Dispose();

    private void Recover()
    {
        if (_limit >= _ceiling)
            return;
        Set(Math.Min(_ceiling, _limit + 1 + (_limit / 4)));
        _timer.Set(Recovery);
    }

    private void Set(int limit)
    {
        _limit = limit;
        _permits.SetLimit(Limit);
    }

    // The rate first, because a higher limit grants permits at once.
    private void ApplyOuter()
    {
        // A burst of a second at most, because a budget is divided and the burst of each part adds to those of the others.
        _permits.SetRate(PerSecond, Math.Min(_context.Options.Burst, Math.Max(1, PerSecond)));
        _permits.SetLimit(Limit);
    }
}
