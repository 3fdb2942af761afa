using Throttled.Testing.Scripted;
using Throttled.Projections.Failures;

namespace Throttled.Projections.Tests.Failures;

public sealed class BisectionTests
{
    [Fact]
    public void Each_good_event_is_handled_once_in_order_and_each_bad_one_has_all_its_attempts() =>
        Seeds.ForEach(3000, seed => new FailingBatch(seed), batch => batch.Run());

    [Fact]
    public void A_batch_without_events_is_one_empty_range()
    {
        var bisection = new Bisection(0, 5, FailurePolicy.Stop);
        Assert.Equal(new EventRange(0, 0), bisection.Next);
        bisection.Succeeded();
        Assert.Null(bisection.Next);
    }

    [Fact]
    public void An_event_that_is_named_as_the_cause_is_tried_alone_at_once()
    {
        var bisection = new Bisection(100, 5, FailurePolicy.Stop);
        Assert.Equal(FailureOutcome.Split, bisection.Failed(40, isFinal: false));
        Assert.Equal(new EventRange(0, 40), bisection.Next);
        bisection.Succeeded();
        Assert.Equal(new EventRange(40, 41), bisection.Next);
    }

    [Fact]
    public void A_final_failure_is_not_retried()
    {
        var bisection = new Bisection(1, 5, FailurePolicy.Skip);
        Assert.Equal(FailureOutcome.Exhausted, bisection.Failed(0, isFinal: true));
        Assert.Equal(new EventRange(0, 1, EventAction.Skip), bisection.Next);
        Assert.Equal(1, bisection.Attempts);
    }
}
