using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Envelopes;
using Akka.Streams.Dsl;
using Akka.TestKit;

namespace Akka.Persistence.Query.Throttled.Tests.Subscriptions;

/// <summary>A <see cref="SubscribedActor"/> that is resumed subscribes again. If its query fails, it does so after a pause that grows.</summary>
public sealed class BackOffTests() : EnvelopeKit("""akka.scheduler.implementation = "Akka.TestKit.TestScheduler, Akka.TestKit" """)
{
    private TestScheduler Scheduler => (TestScheduler)Sys.Scheduler;

    [Fact]
    public async Task Pauses_double_up_to_5_seconds_and_begin_anew_after_an_event()
    {
        await AppendAsync(Stored(1, new Kept(1)));
        var actor = await StartedAsync(Open());
        await FailingAsync(actor, 2);
        for (var (failures, pause) = (1, 100L); failures <= 8; failures++, pause = Math.Min(2 * pause, 5_000))
        {
            // Half of the pause is random.
            await AfterAsync(actor, (pause / 2) - 1, failures);
            await AfterAsync(actor, pause - (pause / 2) + 1, failures + 1);
        }
        actor.Tell(false);
        Scheduler.Advance(TimeSpan.FromSeconds(5));
        await ExpectMsgAsync(3L);
        await FailingAsync(actor, 4);
        await AfterAsync(actor, 49, 1);
        await AfterAsync(actor, 52, 2);
    }

    private async Task<IActorRef> StartedAsync(ThrottledReadJournal journal)
    {
        Sys.ActorOf(Props.Create(() => new Resuming(Props.Create(() => new Failing(journal, TestActor)), TestActor)));
        var actor = await ExpectMsgAsync<IActorRef>();
        await ExpectMsgAsync(1L);
        return actor;
    }

    // The handler fails, so the actor subscribes again, but its query fails from now on.
    private async Task FailingAsync(IActorRef actor, long number)
    {
        actor.Tell(true);
        await AppendAsync(Stored(number, new Kept((int)number)), Stored(number + 1, new Kept((int)number + 1)));
        await ExpectMsgAsync("failed");
        await AfterAsync(actor, 0, 1);
    }

    private async Task AfterAsync(IActorRef actor, long milliseconds, int failures)
    {
        Scheduler.Advance(TimeSpan.FromMilliseconds(milliseconds));
        // A resumed actor answers after it has failed.
        actor.Tell("failures?");
        await ExpectMsgAsync(failures);
    }

    /// <summary>Tells the numbers of its events. While it fails, its query fails.</summary>
    private sealed class Failing(ThrottledReadJournal journal, IActorRef target) : SubscribedActor(journal)
    {
        private bool _isFailing;
        private int _failures;

        protected override Source<EventEnvelope, NotUsed> Query(ThrottledReadJournal journal, EventEnvelope? last)
        {
            if (_isFailing && ++_failures > 0)
            {
                if (_failures == 1)
                    target.Tell("failed");
                throw new InvalidOperationException("The query fails.");
            }
            return journal.EventsByPersistenceId("a", (last?.SequenceNr ?? 0) + 1, long.MaxValue);
        }

        protected override void Handle(EventEnvelope envelope)
        {
            if (_isFailing)
                throw new InvalidOperationException("The handler fails.");
            target.Tell(envelope.SequenceNr);
        }

        protected override void OnMessage(object message)
        {
            if (message is bool isFailing)
                (_isFailing, _failures) = (isFailing, 0);
            else
                target.Tell(_failures);
        }
    }

    private sealed class Resuming : UntypedActor
    {
        public Resuming(Props child, IActorRef target) => target.Tell(Context.ActorOf(child));

        protected override SupervisorStrategy SupervisorStrategy() => new OneForOneStrategy(_ => Directive.Resume);

        protected override void OnReceive(object message) => Unhandled(message);
    }
}
