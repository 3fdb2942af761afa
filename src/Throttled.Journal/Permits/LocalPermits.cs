using Throttled.Journal.Loop;

namespace Throttled.Journal.Permits;

/// <summary>Runs the ledger on the journal's loop, with a timer for the tokens.</summary>
internal sealed class LocalPermits : IPermitSource
{
    private readonly JournalLoop _loop;
    private readonly TimedLedger _ledger;
    private readonly LoopTimer? _timer;

    internal LocalPermits(JournalLoop loop, JournalOptions options)
    {
        _loop = loop;
        _ledger = new(PermitLedger.Of(options), TokenClock.Of(options, loop.Now), slot => slot.Granted());
        if (options.MaxQueriesPerSecond > 0)
            _timer = new(loop, Refill);
    }

    public void Request(StatementSlot slot)
    {
        _ledger.Request(slot, _loop.Now);
        WaitForToken();
    }

    public void Return(StatementSlot slot)
    {
        _ledger.Return(slot, _loop.Now);
        WaitForToken();
    }

    public void SetLimit(int limit)
    {
        _ledger.SetLimit(limit, _loop.Now);
        WaitForToken();
    }

    public void Dispose() => _timer?.Dispose();

    private void Refill(TimeSpan now)
    {
        _ledger.Refill(now);
        WaitForToken();
    }

    private void WaitForToken()
    {
        if (_timer is { IsSet: false } && _ledger.Wait is { } wait)
            _timer.Set(wait);
    }
}
