using System.Diagnostics;
using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Persistence.Query.Throttled.Running;
using Akka.Persistence.Query.Throttled.Subscriptions;
using Akka.Streams;
using Akka.Streams.Stage;
using Akka.Streams.Supervision;
using Throttled.Journal.Loop;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Streams;

/// <summary>
/// Any query as a stream. When it is pulled without a page, it requests one from the engine; each pull decodes one item. It
/// holds no permit, so no permit is lost when it ends. As an attribute of its source, it also starts subscriptions.
/// </summary>
/// <param name="open">Opens the query's feed.</param>
/// <param name="decoder">Decodes items.</param>
/// <param name="journal">The subscriptions of the journal, which also registers its streams; null in tests of the stage alone.</param>
/// <param name="isLive">Whether the query follows the journal until it is cancelled.</param>
internal sealed class ThrottledQueryStage<T, TOut>(
    Func<IPageReader<T>, IFeed<T>> open, IItemDecoder<T, TOut> decoder, JournalSubscriptions? journal = null, bool isLive = false)
    : GraphStage<SourceShape<TOut>>, ISubscribable<TOut>
    where T : class
    where TOut : class
{
    private static readonly Attributes StageName = Attributes.CreateName("throttledQuery");

    public override SourceShape<TOut> Shape { get; } = new(new("throttledQuery.out"));

    public JournalSubscriptions? Journal => journal;

    internal RunningQueries? Running => journal?.Running;

    internal Func<IPageReader<T>, IFeed<T>> Open => open;

    internal IItemDecoder<T, TOut> Decoder => decoder;

    internal bool IsLive => isLive;

    protected override Attributes InitialAttributes => StageName.And(new Attributes(this));

    public Subscription Subscribe(SubscriptionContext<TOut> context) => new QuerySubscription<T, TOut>(context, open, decoder, isLive).Start();

    protected override GraphStageLogic CreateLogic(Attributes inheritedAttributes) => new QueryLogic<T, TOut>(this, Subscribable.DeciderOf(inheritedAttributes));
}

/// <summary>One run of a <see cref="ThrottledQueryStage{T, TOut}"/>. There may be hundreds of thousands, so every field counts.</summary>
internal sealed class QueryLogic<T, TOut> : OutGraphStageLogic, IRunningQuery, IPageReader<T>
    where T : class
    where TOut : class
{
    private static readonly object End = new();
    private static readonly object LastPage = new();

    private readonly ThrottledQueryStage<T, TOut> _stage;

    // The activity in which the stream was run; null without tracing, or once it has stopped.
    private Activity? _subscriber = Activity.Current;

    // Gets a page, a failure or the end, once for each demand; and a notice that the current page is the last.
    private Action<object>? _answered;
    private IFeed<T>? _feed;
    private ItemCursor<T, TOut> _items;
    private volatile bool _hasStopped;

    internal QueryLogic(ThrottledQueryStage<T, TOut> stage, Decider decide)
        : base(stage.Shape)
    {
        (_stage, _items) = (stage, new(stage.Decoder.OfOneStream(), decide));
        SetHandler(stage.Shape.Outlet, this);
    }

    LinkedQueue<IRunningQuery>? ILinked<IRunningQuery>.Queue { get; set; }

    IRunningQuery? ILinked<IRunningQuery>.Previous { get; set; }

    IRunningQuery? ILinked<IRunningQuery>.Next { get; set; }

    bool IRunningQuery.IsLive => _stage.IsLive;

    public override void PreStart()
    {
        _answered = GetAsyncCallback<object>(Answered);
        if (_stage.Running?.Add(this) == false)
            CompleteStage();
        else
            _feed = _stage.Open(this);
    }

    public override void OnPull() => MoveOn();

    // Called however the stream ends: completed, failed, cancelled, or because its actor stopped.
    public override void PostStop()
    {
        _hasStopped = true;
        _feed?.Close();
        _stage.Running?.Remove(this);
    }

    void IRunningQuery.Complete() => Answer(End);

    // Runs on the journal's loop, as do the next three.
    void IPageReader<T>.Receive(Page<T> page) => Answer(page);

    void IPageReader<T>.Complete() => Answer(End);

    void IPageReader<T>.Ended(Page<T> page)
    {
        page.EndsQuery = true;
        Answer(LastPage);
    }

    void IPageReader<T>.Fail(Exception error) => Answer(error);

    private void Answer(object answer)
    {
        if (!_hasStopped)
            _answered!(answer);
    }

    private void Answered(object answer)
    {
        switch (answer)
        {
            case Exception error:
                FailStage(error);
                break;
            case Page<T> page:
                _items.Receive(page);
                MoveOn();
                break;
            default:
                if (answer == End || _items.IsAtEnd)
                    CompleteStage();
                break;
        }
    }

    private void MoveOn()
    {
        TOut? item;
        try
        {
            item = _items.Next();
        }
        catch (UndecodableEventException error)
        {
            FailStage(error);
            return;
        }
        if (item is not null)
            PushAsSubscriber(item);
        if (_items.IsAtEnd)
            CompleteStage();
        else if (item is null)
            _items.Demand(_feed!);
    }

    // Akka.Streams stores the current activity with each pushed element. The journal's loop has no activity, so set it here.
    private void PushAsSubscriber(TOut item)
    {
        if (_subscriber is { IsStopped: true })
            _subscriber = null;
        if (_subscriber is null)
        {
            Push(_stage.Shape.Outlet, item);
            return;
        }
        var here = Activity.Current;
        Activity.Current = _subscriber;
        Push(_stage.Shape.Outlet, item);
        Activity.Current = here;
    }
}
