using Throttled.Journal.Permits;

namespace Throttled.Journal.Tests.Permits;

public sealed class PermitLedgerTests
{
    private readonly StatementSlot _a = new(_ => { }), _b = new(_ => { }), _c = new(_ => { });

    [Fact]
    public void A_permit_that_is_free_is_granted_at_once()
    {
        var ledger = new PermitLedger(1);
        Assert.Same(_a, ledger.Request(_a));
        Assert.Equal((PermitState.Held, 1), (_a.State, ledger.Held));
    }

    [Fact]
    public void Permits_are_granted_in_the_order_of_the_requests()
    {
        var ledger = Full();
        Assert.Null(ledger.Request(_b));
        Assert.Null(ledger.Request(_c));
        Assert.Same(_b, ledger.Return(_a));
        Assert.Same(_c, ledger.Return(_b));
    }

    [Fact]
    public void A_permit_given_back_twice_is_given_back_once()
    {
        var ledger = Full();
        ledger.Request(_b);
        ledger.Request(_c);
        ledger.Return(_a);
        Assert.Null(ledger.Return(_a));
        Assert.Equal((1, 1), (ledger.Held, ledger.Waiting));
    }

    [Fact]
    public void A_request_that_left_the_queue_is_not_granted()
    {
        var ledger = Full();
        ledger.Request(_b);
        ledger.Request(_c);
        Assert.Null(ledger.Return(_b));
        Assert.Same(_c, ledger.Return(_a));
        Assert.Equal(PermitState.None, _b.State);
    }

    [Fact]
    public void A_repeated_request_counts_once()
    {
        var ledger = new PermitLedger(2);
        ledger.Request(_a);
        Assert.Null(ledger.Request(_a));
        Assert.Equal(1, ledger.Held);
    }

    [Fact]
    public void A_lower_limit_revokes_nothing_and_grants_nothing_until_enough_permits_returned()
    {
        var ledger = new PermitLedger(2);
        ledger.Request(_a);
        ledger.Request(_b);
        ledger.Request(_c);
        Assert.Null(ledger.SetLimit(1));
        Assert.Null(ledger.Return(_a));
        Assert.Same(_c, ledger.Return(_b));
    }

    [Fact]
    public void A_higher_limit_grants_one_request_at_a_time_until_none_waits()
    {
        var ledger = Full();
        ledger.Request(_b);
        ledger.Request(_c);
        Assert.Same(_b, ledger.SetLimit(3));
        Assert.Same(_c, ledger.SetLimit(3));
        Assert.Null(ledger.SetLimit(3));
    }

    [Fact]
    public void An_empty_bucket_makes_a_free_permit_wait_for_its_token()
    {
        var ledger = new PermitLedger(3, burst: 1);
        ledger.Request(_a);
        Assert.Null(ledger.Request(_b));
        Assert.True(ledger.WantsToken);
        Assert.Same(_b, ledger.AddToken());
    }

    [Fact]
    public void Tokens_over_the_burst_are_lost()
    {
        var ledger = new PermitLedger(9, burst: 1);
        ledger.AddToken();
        ledger.AddToken();
        Assert.Same(_a, ledger.Request(_a));
        Assert.Null(ledger.Request(_b));
    }

    [Fact]
    public void Leaving_the_queue_costs_no_token()
    {
        var ledger = new PermitLedger(1, burst: 2);
        ledger.Request(_a);
        ledger.Request(_b);
        ledger.Return(_b);
        ledger.Return(_a);
        Assert.Same(_c, ledger.Request(_c));
    }

    private PermitLedger Full()
    {
        var ledger = new PermitLedger(1);
        ledger.Request(_a);
        return ledger;
    }
}
