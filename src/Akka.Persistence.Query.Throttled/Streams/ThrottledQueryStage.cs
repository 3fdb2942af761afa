using System.Diagnostics;
using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Streams.Stage;
using Akka.Streams.Supervision;
using Akka.Streams;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Streams;

/// <summary>
/// Any query as a stream. When it is pulled without a page, it requests one from the engine; each pull decodes one item. It
/// holds no permit, so no permit is lost when it ends.
/// </summary>
/// <param name="open">Opens the query's feed.</param>
/// <param name="decoder">Decodes items.</param>
/// <param name="running">Registers the runs; null in tests of the stage alone.</param>
/// <param name="isLive">Whether the query follows the journal until it is cancelled.</param>
internal sealed class ThrottledQueryStage<T, TOut>(
    Func<IPageReader<T>, IFeed<T>> open, IItemDecoder<T, TOut> decoder, RunningStreams? running = null, bool isLive = false)
    : GraphStage<SourceShape<TOut>>
    where T : class
    where TOut : class
{
    private static readonly Attributes StageName = Attributes.CreateName("throttledQuery");

    public override SourceShape<TOut> Shape { get; } = new(new("throttledQuery.out"));

    internal Func<IPageReader<T>, IFeed<T>> Open => open;

    internal IItemDecoder<T, TOut> Decoder => decoder;

    internal RunningStreams? Running => running;

    internal bool IsLive => isLive;

    protected override Attributes InitialAttributes => StageName;

    protected override GraphStageLogic CreateLogic(Attributes inheritedAttributes) => new QueryLogic<T, TOut>(
        this, inheritedAttributes.GetAttribute<ActorAttributes.SupervisionStrategy>(null!)?.Decider ?? Deciders.StoppingDecider);
}

/// <summary>One run of a <see cref="ThrottledQueryStage{T, TOut}"/>. There may be hundreds of thousands, so every field counts.</summary>
internal sealed class QueryLogic<T, TOut> : RunningStream, IPageReader<T>
    where T : class
    where TOut : class
{
    private static readonly object End = new();
    private static readonly object LastPage = new();

    private readonly ThrottledQueryStage<T, TOut> _stage;
    private readonly IItemDecoder<T, TOut> _decoder;
    private readonly Decider _decide;

    // The activity in which the stream was run; null without tracing, or once it has stopped.
    private Activity? _subscriber = Activity.Current;

    // Gets a page, a failure or the end, once for each demand; and a notice that the current page is the last.
    private Action<object>? _answered;
    private IFeed<T>? _feed;
    private PageCursor<T> _cursor;
    private Queue<TOut>? _rest;
    private volatile bool _hasStopped;

    internal QueryLogic(ThrottledQueryStage<T, TOut> stage, Decider decide)
        : base(stage.Shape)
    {
        (_stage, _decoder, _decide) = (stage, stage.Decoder.OfOneStream(), decide);
        SetHandler(stage.Shape.Outlet, this);
    }

    public override void PreStart()
    {
        _answered = GetAsyncCallback<object>(Answered);
        if (_stage.Running?.Add(this) == false)
            CompleteStage();
        else
            _feed = _stage.Open(this);
    }

    public override void OnPull()
    {
        if (_rest is { Count: > 0 } rest)
            Deliver(rest.Dequeue());
        else if (!MoveOn())
            Demand();
    }

    // Called however the stream ends: completed, failed, cancelled, or because its actor stopped.
    public override void PostStop()
    {
        _hasStopped = true;
        _feed?.Close();
        _stage.Running?.Remove(this);
    }

    internal override bool IsLive => _stage.IsLive;

    internal override void Complete() => Answer(End);

    // Runs on the journal's loop. The stage waits for this page, so it does not use the cursor meanwhile.
    void IPageReader<T>.Receive(Page<T> page)
    {
        if (_hasStopped)
            return;
        _cursor.Receive(page);
        _answered!(page);
    }

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
        if (answer is Exception error)
            FailStage(error);
        else if (answer == End)
            CompleteStage();
        else if (answer == LastPage)
            CompleteAtEnd();
        else if (!DeliverCurrent() && !MoveOn())
            Demand();
    }

    // Adapters may drop all events of a row, so go on until a row brings an element.
    private bool MoveOn()
    {
        while (!_cursor.IsAtEnd && _cursor.MoveNext())
        {
            if (DeliverCurrent())
                return true;
        }
        return false;
    }

    private bool DeliverCurrent()
    {
        TOut? first;
        try
        {
            first = _decoder.Decode(_cursor.Current!, out _rest);
        }
        catch (UndecodableEventException error)
        {
            // Restart is the same as Resume, because the stage keeps only its position.
            if (_decide(error) != Directive.Stop)
                return false;
            FailStage(error);
            return true;
        }
        if (first is not null)
            Deliver(first);
        return first is not null;
    }

    private void Deliver(TOut item)
    {
        PushAsSubscriber(item);
        CompleteAtEnd();
    }

    private void CompleteAtEnd()
    {
        if (_cursor.IsAtEnd && _rest is not { Count: > 0 })
            CompleteStage();
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

    private void Demand()
    {
        if (_cursor.IsAtEnd)
            CompleteStage();
        else
            _cursor.Demand(_feed!);
    }
}
