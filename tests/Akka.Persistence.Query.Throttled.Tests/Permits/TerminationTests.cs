using Akka.Actor;
using Throttled.Testing;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

public sealed class TerminationTests() : ThrottlerKit("akka.loglevel = OFF\nakka.coordinated-shutdown.run-by-actor-system-terminate = off")
{
    [Fact]
    public async Task A_system_that_terminates_waits_for_its_statements_and_takes_their_permits_back()
    {
        var closing = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Close = closing.Task;
        Start(limit: 1);
        var slots = Slots(2);
        Request(slots);
        await FenceAsync();

        var terminating = Sys.Terminate();
        await Wait.UntilAsync(() => Closings == 1, "the journal to be told");
        Return(slots);
        await FenceAsync();
        Assert.Equal((0, 0), (Ledger.Held, Ledger.Waiting));
        Assert.False(terminating.IsCompleted);

        closing.SetResult();
        await terminating.WithinAsync("the termination");
    }

    [Fact]
    public async Task A_throttler_that_was_restarted_still_keeps_the_system_until_its_statements_have_ended()
    {
        var closing = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Close = closing.Task;
        Start(limit: 1);
        FailAndRestart();
        await FenceAsync();
        var terminating = Sys.Terminate();
        await Wait.UntilAsync(() => Closings == 1, "the journal to be told");
        await FenceAsync();
        Assert.False(terminating.IsCompleted);
        closing.SetResult();
        await terminating.WithinAsync("the termination");
    }

    [Fact]
    public async Task A_statement_that_cannot_be_closed_does_not_keep_the_system_for_ever()
    {
        Close = Task.FromException(new InvalidOperationException("The database does not let go."));
        Start(limit: 1);
        await FenceAsync();
        await Sys.Terminate().WithinAsync("the termination");
    }
}
