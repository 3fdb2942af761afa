using Akka.Actor;
using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Persistence.Query.Throttled.Running;
using Throttled.Journal.Loop;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Subscriptions;

/// <summary>
/// One run of a query that tells its items to an actor. It owns no thread and no actor: a signal (a page, a request, the end) schedules one step, and
/// steps of a subscription never overlap. A step decodes one page. There may be a million subscriptions, so every field counts.
/// </summary>
internal sealed class QuerySubscription<T, TOut> : Subscription, IRunningQuery, IPageReader<T>, IThreadPoolWorkItem
    where T : class
    where TOut : class
{
    private static readonly object End = new();

    private readonly JournalSubscriptions _journal;
    private readonly Func<Subscription, IReadOnlyList<TOut>, object> _message;
    private readonly IFeed<T> _feed;
    private readonly bool _isLive;
    private StepState _step = StepState.Scheduled;

    // Written by any thread.
    private long _demand;
    private object? _answer;
    private volatile StopReason _stop;

    // Whether the feed has not answered the last demand. Written by steps.
    private volatile bool _isWaiting;

    // Used only by steps.
    private ItemCursor<T, TOut> _items;
    private bool _hasEnded;

    internal QuerySubscription(SubscriptionContext<TOut> context, Func<IPageReader<T>, IFeed<T>> open, IItemDecoder<T, TOut> decoder, bool isLive)
        : base(context.Receiver)
    {
        (_journal, _message, _demand, _isLive) = (context.Journal, context.Message, context.Demand, isLive);
        _items = new(decoder.OfOneStream(), context.Decide);
        _feed = open(this);
    }

    LinkedQueue<IRunningQuery>? ILinked<IRunningQuery>.Queue { get; set; }

    IRunningQuery? ILinked<IRunningQuery>.Previous { get; set; }

    IRunningQuery? ILinked<IRunningQuery>.Next { get; set; }

    bool IRunningQuery.IsLive => _isLive;

    private bool IsStopped => _stop != StopReason.None;

    /// <summary>Runs the first step on this thread, which decodes nothing.</summary>
    internal QuerySubscription<T, TOut> Start()
    {
        _journal.Watcher.Tell(new WatchReceiver(this), ActorRefs.NoSender);
        if (_journal.Running?.Add(this) == false)
            ((IRunningQuery)this).Complete();
        ((IThreadPoolWorkItem)this).Execute();
        return this;
    }

    public override void Request(long count)
    {
        if (count < 1)
            throw new ArgumentOutOfRangeException(nameof(count), count, FormattableString.Invariant($"The number of requested items is {count}; it must be at least 1."));
        long before;
        do
            before = Interlocked.Read(ref _demand);
        while (Interlocked.CompareExchange(ref _demand, count > long.MaxValue - before ? long.MaxValue : before + count, before) != before);
        // If the feed is about to answer, that step will read this demand: it clears the flag before.
        if (!_isWaiting)
            Signal();
    }

    public override void Cancel()
    {
        _stop = StopReason.Cancelled;
        Signal();
    }

    // A subscription that was cancelled tells nothing any more.
    void IRunningQuery.Complete()
    {
        Interlocked.CompareExchange(ref _stop, StopReason.Completed, StopReason.None);
        Signal();
    }

    void IPageReader<T>.Receive(Page<T> page) => Answer(page);

    void IPageReader<T>.Complete() => Answer(End);

    void IPageReader<T>.Ended(Page<T> page)
    {
        page.EndsQuery = true;
        Signal();
    }

    void IPageReader<T>.Fail(Exception error) => Answer(error);

    void IThreadPoolWorkItem.Execute()
    {
        Interlocked.Exchange(ref _step, StepState.Running);
        if (_hasEnded)
            _answer = null;
        else
            Step();
        // A signal during the step may have come too late for it.
        if (Interlocked.CompareExchange(ref _step, StepState.Idle, StepState.Running) != StepState.Running)
            _journal.Scheduler.Run(this);
    }

    private void Answer(object answer)
    {
        Volatile.Write(ref _answer, answer);
        Signal();
    }

    private void Signal()
    {
        if (Interlocked.Exchange(ref _step, StepState.Scheduled) == StepState.Idle)
            _journal.Scheduler.Run(this);
    }

    private void Step()
    {
        if (IsStopped)
            EndWith(new SubscriptionCompleted(this));
        else if (Interlocked.Exchange(ref _answer, null) is { } answer)
            Take(answer);
        else if (!_isWaiting)
            Deliver();
    }

    private void Take(object answer)
    {
        switch (answer)
        {
            case Exception error:
                EndWith(new SubscriptionFailed(this, error));
                break;
            case Page<T> page:
                // Clear the flag before the demand is read; see Request.
                Interlocked.Exchange(ref _isWaiting, false);
                _items.Receive(page);
                Deliver();
                break;
            default:
                EndWith(new SubscriptionCompleted(this));
                break;
        }
    }

    private void Deliver()
    {
        var demand = Interlocked.Read(ref _demand);
        List<TOut> items = new((int)Math.Min(demand, _items.RowsLeft));
        var error = Decode(items, demand);
        // The signal of the end runs the next step.
        if (IsStopped)
            return;
        if (items.Count > 0)
            Tell(items, demand);
        if (error is not null)
            EndWith(new SubscriptionFailed(this, error));
        else if (_items.IsAtEnd)
            EndWith(new SubscriptionCompleted(this));
        else if (items.Count < demand)
        {
            _isWaiting = true;
            _items.Demand(_feed);
        }
    }

    /// <summary>Adds items until there are as many as requested, or the page has no more.</summary>
    private Exception? Decode(List<TOut> items, long demand)
    {
        try
        {
            while (items.Count < demand && !IsStopped && _items.Next() is { } item)
                items.Add(item);
            return null;
        }
        // A user's serializer or adapter may throw anything. On this thread, it would end the process.
        catch (Exception error)
        {
            return error;
        }
    }

    private void Tell(List<TOut> items, long demand)
    {
        if (demand < long.MaxValue)
            Interlocked.Add(ref _demand, -items.Count);
        Receiver.Tell(_message(this, items), ActorRefs.NoSender);
    }

    private void EndWith(object message)
    {
        _hasEnded = true;
        _feed.Close();
        // The user may keep this object for long.
        _items = default;
        if (_stop != StopReason.Cancelled)
            Receiver.Tell(message, ActorRefs.NoSender);
        _journal.Running?.Remove(this);
        _journal.Watcher.Tell(new UnwatchReceiver(this), ActorRefs.NoSender);
    }
}

internal enum StepState : byte
{
    Idle,

    /// <summary>A step runs.</summary>
    Running,

    /// <summary>A step will run. If another one runs now, that follows it.</summary>
    Scheduled,
}

/// <summary>Why a subscription ends although its query goes on.</summary>
internal enum StopReason : byte
{
    None,

    /// <summary>It was cancelled, or its receiver is dead.</summary>
    Cancelled,

    /// <summary>All live queries complete, because the actor system terminates.</summary>
    Completed,
}
