using Throttled.Journal.Loop;

namespace Throttled.Journal.Permits;

/// <summary>Runs the ledger on the journal's loop, with a timer for the tokens.</summary>
internal sealed class LocalPermits : IPermitSource
{
    private readonly JournalLoop _loop;
    private readonly TimedLedger _ledger;
    private LoopTimer? _timer;

    internal LocalPermits(JournalLoop loop, JournalOptions options, PermitCeiling? ceiling = null)
    {
        _loop = loop;
        _ledger = new(PermitLedger.Of(options, ceiling), TokenClock.Of(options, loop.Now), slot => slot.Granted());
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

    public void SetRate(int perSecond, int burst)
    {
        _ledger.SetTokens(TokenClock.Of(perSecond, burst, _loop.Now), _loop.Now);
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
        if (_timer is { IsSet: true } || _ledger.Wait is not { } wait)
            return;
        _timer ??= new(_loop, Refill);
        _timer.Set(wait);
    }
}
