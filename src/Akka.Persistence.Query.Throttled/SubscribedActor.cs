using System.Runtime.ExceptionServices;
using Akka.Actor;
using Akka.Event;
using Akka.Streams.Dsl;
using Throttled.Journal.Loop;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// An actor that handles the events of one query, one after the other. It subscribes in <see cref="PreStart"/>, requests as many events as it has
/// handled, and keeps the last one. Its subscription ends when it stops or restarts; the next instance subscribes again. Override
/// <see cref="PreStart"/> and <see cref="PostStop"/> only with a call of the base method.
/// </summary>
public abstract class SubscribedActor : UntypedActor
{
    private readonly ThrottledReadJournal _journal;
    private readonly int _demand;
    private Subscription? _subscription;
    private Resumed? _resumed;

    // The failures of the query since the last event.
    private int _failures;

    /// <param name="journal">The read journal.</param>
    /// <param name="demand">The number of events that may wait in the mailbox, at least 1; 500 by default.</param>
    /// <exception cref="ArgumentOutOfRangeException">The demand is below 1.</exception>
    protected SubscribedActor(ThrottledReadJournal journal, int demand = 500)
    {
        ArgumentNullException.ThrowIfNull(journal);
        ArgumentOutOfRangeException.ThrowIfLessThan(demand, 1);
        (_journal, _demand) = (journal, demand);
    }

    /// <summary>
    /// The last event that this instance has handled, or skipped because it failed and the supervisor resumed the actor; null before the first one. Its
    /// offset is where the query continues.
    /// </summary>
    protected EventEnvelope? LastEvent { get; private set; }

    /// <summary>The query after an event, as a method of the journal returns it.</summary>
    /// <param name="journal">The read journal.</param>
    /// <param name="last">
    /// The last event that was handled: continue after its offset, or by persistence id at its number + 1. Null for a new instance: begin at the offset
    /// that you stored.
    /// </param>
    protected abstract Source<EventEnvelope, NotUsed> Query(ThrottledReadJournal journal, EventEnvelope? last);

    /// <summary>
    /// Handles an event. If this throws, the actor fails, and its supervisor decides. A restarted actor begins at the stored offset. A resumed actor
    /// continues after this event. An actor that stops itself calls <see cref="Unsubscribe"/> too: without it, the rest of a page may still be handled.
    /// </summary>
    /// <param name="envelope">The event.</param>
    protected abstract void Handle(EventEnvelope envelope);

    /// <summary>Called when the query has no more events. Stops the actor by default.</summary>
    protected virtual void OnCompleted() => Context.Stop(Self);

    /// <summary>
    /// Called when the query failed. Throws the exception by default, so the actor fails; if its supervisor resumes it, it subscribes again after a pause.
    /// The pause is up to 100 ms, doubles with each failure, up to 5 s, and is short again after an event. To continue without a failure, call
    /// <see cref="Subscribe"/>, now or later.
    /// </summary>
    /// <param name="cause">The exception with which a stream would fail.</param>
    protected virtual void OnFailed(Exception cause) => ExceptionDispatchInfo.Throw(cause);

    /// <summary>Called for each message that does not come from the subscription. Unhandled by default.</summary>
    /// <param name="message">The message.</param>
    protected virtual void OnMessage(object message) => Unhandled(message);

    /// <summary>
    /// Begins the query after <see cref="LastEvent"/>. A running subscription is cancelled first. If <see cref="Handle"/> calls this, its event comes again.
    /// </summary>
    protected void Subscribe()
    {
        CancelAll();
        _subscription = _journal.Subscribe(Query(_journal, LastEvent), Self, _demand);
    }

    /// <summary>Ends the subscription. No further event is handled, not even one that was delivered already, until <see cref="Subscribe"/> is called.</summary>
    protected void Unsubscribe()
    {
        CancelAll();
        _subscription = null;
    }

    /// <inheritdoc/>
    protected override void PreStart() => Subscribe();

    /// <inheritdoc/>
    protected override void PostStop() => Unsubscribe();

    /// <inheritdoc/>
    protected sealed override void OnReceive(object message)
    {
        switch (message)
        {
            // A message of an earlier subscription was under way when that was cancelled.
            case EventsDelivered delivered:
                if (delivered.Subscription == _subscription)
                    HandleAll(delivered);
                break;
            case SubscriptionCompleted completed:
                if (completed.Subscription == _subscription)
                    OnCompleted();
                break;
            case SubscriptionFailed failed:
                if (failed.Subscription == _subscription)
                    Fail(failed);
                break;
            // A restarted instance has not sent it.
            case Resumed resumed:
                if (resumed == _resumed)
                    ContinueAfter(resumed.Last);
                break;
            default:
                OnMessage(message);
                break;
        }
    }

    private void CancelAll()
    {
        _subscription?.Cancel();
        _resumed?.Timer?.Cancel();
        _resumed = null;
    }

    private void HandleAll(EventsDelivered delivered)
    {
        foreach (var each in delivered.Events)
        {
            try
            {
                Handle(each);
            }
            catch
            {
                if (_subscription == delivered.Subscription)
                    PrepareToContinueAfter(each, TimeSpan.Zero);
                throw;
            }
            // The handler may have subscribed again: then this event comes again. Or it has unsubscribed.
            if (_subscription is not null && _subscription != delivered.Subscription)
                return;
            LastEvent = each;
            _failures = 0;
            if (_subscription is null)
                return;
        }
        delivered.Subscription.Request(delivered.Events.Count);
    }

    private void Fail(SubscriptionFailed failed)
    {
        try
        {
            OnFailed(failed.Cause);
        }
        catch
        {
            if (_subscription == failed.Subscription)
                PrepareToContinueAfter(LastEvent, Pause());
            throw;
        }
    }

    private void ContinueAfter(EventEnvelope? last)
    {
        LastEvent = last;
        try
        {
            Subscribe();
        }
        catch
        {
            PrepareToContinueAfter(last, Pause());
            throw;
        }
    }

    /// <summary>Ends the subscription before the actor fails. If the supervisor resumes the actor, this instance gets the message and subscribes again.</summary>
    private void PrepareToContinueAfter(EventEnvelope? last, TimeSpan pause)
    {
        Unsubscribe();
        _resumed = new(last);
        if (pause == TimeSpan.Zero)
            Self.Tell(_resumed, ActorRefs.NoSender);
        else
            _resumed.Timer = Context.System.Scheduler.ScheduleTellOnceCancelable(pause, Self, _resumed, ActorRefs.NoSender);
    }

    private TimeSpan Pause() => BackOff.Delay(_failures++, Random.Shared.NextDouble());

    /// <summary>The actor failed, and was resumed.</summary>
    /// <param name="last">The event after which the query continues.</param>
    private sealed class Resumed(EventEnvelope? last) : INoSerializationVerificationNeeded, IDeadLetterSuppression
    {
        internal EventEnvelope? Last => last;

        /// <summary>Tells it later; null if it was told at once.</summary>
        internal ICancelable? Timer { get; set; }
    }
}
