using Throttled.Journal.Loop;

namespace Throttled.Journal.Permits;

/// <summary>The ledger on the journal's own loop, with a timer for the tokens.</summary>
internal sealed class LocalPermits : IPermitSource
{
    private readonly JournalLoop _loop;
    private readonly PermitLedger _ledger;
    private readonly int _burst;
    private readonly TimeSpan _tokenInterval;
    private readonly LoopTimer? _tokens;
    private TimeSpan _filledUntil;

    internal LocalPermits(JournalLoop loop, JournalOptions options)
    {
        var rate = options.MaxQueriesPerSecond;
        _loop = loop;
        _burst = rate > 0 ? options.Burst : 0;
        _ledger = new(options.MaxConcurrentQueries, _burst);
        if (rate == 0)
            return;
        _tokenInterval = TimeSpan.FromSeconds(1.0 / rate);
        _tokens = new(loop, Refill);
        _filledUntil = loop.Now;
    }

    public void Request(StatementSlot slot)
    {
        if (_tokens is not null)
            Refill(_loop.Now);
        _ledger.Request(slot)?.Granted();
        WaitForToken();
    }

    public void Return(StatementSlot slot)
    {
        if (_tokens is not null)
            Refill(_loop.Now);
        _ledger.Return(slot)?.Granted();
        WaitForToken();
    }

    public void SetLimit(int limit)
    {
        while (_ledger.SetLimit(limit) is { } next)
            next.Granted();
        WaitForToken();
    }

    public void Dispose() => _tokens?.Dispose();

    // A timer rings every millisecond at best, and not at all while nobody waits: each time all that came due is given.
    private void Refill(TimeSpan now)
    {
        var due = Math.Max(0, (now - _filledUntil).Ticks / _tokenInterval.Ticks);
        _filledUntil += due * _tokenInterval;
        for (var tokens = Math.Min(due, _burst); tokens > 0; tokens--)
            _ledger.AddToken()?.Granted();
        WaitForToken();
    }

    private void WaitForToken()
    {
        if (_tokens is { IsSet: false } && _ledger.WantsToken)
            _tokens.Set(_tokenInterval);
    }
}
