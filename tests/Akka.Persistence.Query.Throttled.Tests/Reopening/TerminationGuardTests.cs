using Akka.Actor;
using Akka.Persistence.Query.Throttled.Reopening;

namespace Akka.Persistence.Query.Throttled.Tests.Reopening;

public sealed class TerminationGuardTests() : Akka.TestKit.Xunit2.TestKit($"akka.loglevel = OFF\nakka.coordinated-shutdown.run-by-actor-system-terminate = off\n{AkkaTimeouts.Hocon}")
{
    private readonly TaskCompletionSource _closing = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _closings;
    private int _late;

    [Fact]
    public async Task A_system_that_terminates_waits_until_the_journal_is_closed()
    {
        await StartAsync(_closing.Task);
        var terminating = Sys.Terminate();
        await Wait.UntilAsync(() => Volatile.Read(ref _closings) == 1, "the journal to be closed");
        Assert.False(terminating.IsCompleted);
        _closing.SetResult();
        await terminating.WithinAsync("the termination");
    }

    [Fact]
    public async Task The_journal_is_open_until_all_user_actors_have_stopped()
    {
        await StartAsync(Task.CompletedTask);
        var closings = new List<int>();
        Sys.ActorOf(Props.Create(() => new Stopping(() => closings.Add(Volatile.Read(ref _closings)))));
        await Sys.Terminate().WithinAsync("the termination");
        Assert.Equal([0], closings);
        Assert.Equal(1, _closings);
    }

    [Fact]
    public async Task A_journal_that_cannot_be_closed_does_not_block_the_termination()
    {
        await StartAsync(Task.FromException(new InvalidOperationException("The database cannot be closed.")));
        await Sys.Terminate().WithinAsync("the termination");
    }

    [Fact]
    public async Task A_journal_that_does_not_close_in_time_is_logged_and_the_system_terminates()
    {
        await StartAsync(_closing.Task, TimeSpan.FromMilliseconds(1));
        await Sys.Terminate().WithinAsync("the termination");
        Assert.Equal(1, Volatile.Read(ref _late));
    }

    private async Task StartAsync(Task closing, TimeSpan? timeout = null)
    {
        var guard = ((ExtendedActorSystem)Sys).SystemActorOf(
            TerminationGuard.Props(() =>
            {
                Interlocked.Increment(ref _closings);
                return closing;
            },
            timeout ?? TimeSpan.FromMinutes(5),
            () => Interlocked.Increment(ref _late)),
            "guard");
        // The guard has registered its hook.
        await guard.Ask<ActorIdentity>(new Identify(0));
    }

    private sealed class Stopping(Action stopped) : ReceiveActor
    {
        protected override void PostStop() => stopped();
    }
}
