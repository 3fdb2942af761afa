using System.Diagnostics;
using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Streams;
using Akka.Streams.Stage;
using Akka.Streams.Supervision;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Streams;

/// <summary>One run of a <see cref="ThrottledQueryStage{T, TOut}"/>. There may be hundreds of thousands, so every field counts.</summary>
internal sealed class QueryLogic<T, TOut> : LiveStream, IPageReader<T>
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

    // A page, a failure or the end: one answer for each demand. And that the page it has is the last.
    private Action<object>? _answered;
    private IFeed<T>? _feed;
    private PageCursor<T> _cursor;
    private Queue<TOut>? _rest;
    private volatile bool _hasLeft;

    internal QueryLogic(ThrottledQueryStage<T, TOut> stage, Decider decide)
        : base(stage.Shape)
    {
        (_stage, _decoder, _decide) = (stage, stage.Decoder.OfOneStream(), decide);
        SetHandler(stage.Shape.Outlet, this);
    }

    public override void PreStart()
    {
        _answered = GetAsyncCallback<object>(Answered);
        if (_stage.Live?.Join(this) == false)
            CompleteStage();
        else
            _feed = _stage.Open(this);
    }

    /// <summary>The reader has room for one.</summary>
    public override void OnPull()
    {
        if (_rest is { Count: > 0 } rest)
            Give(rest.Dequeue());
        else if (!MoveOn())
            Demand();
    }

    // However the stream ends: completed, failed, cancelled, or its actor stopped.
    public override void PostStop()
    {
        _hasLeft = true;
        _feed?.Close();
        _stage.Live?.Leave(this);
    }

    internal override void Complete() => Answer(End);

    // On the journal's loop. The stage demanded and waits, so it does not touch the cursor meanwhile.
    void IPageReader<T>.Receive(Page<T> page)
    {
        if (_hasLeft)
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
        if (!_hasLeft)
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
        else if (!GiveCurrent() && !MoveOn())
            Demand();
    }

    // Adapters may drop events: the position is the rows', and goes on.
    private bool MoveOn()
    {
        while (!_cursor.IsAtEnd && _cursor.MoveNext())
        {
            if (GiveCurrent())
                return true;
        }
        return false;
    }

    private bool GiveCurrent()
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
            Give(first);
        return first is not null;
    }

    private void Give(TOut item)
    {
        PushAsSubscriber(item);
        CompleteAtEnd();
    }

    private void CompleteAtEnd()
    {
        if (_cursor.IsAtEnd && _rest is not { Count: > 0 })
            CompleteStage();
    }

    // Akka.Streams stores the current activity with each pushed element. On the journal's loop there is none, so set it here.
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
