using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Streams;
using Akka.Streams.Stage;
using Throttled.Journal.Pages;
using Throttled.Journal.Queries;

namespace Akka.Persistence.Query.Throttled.Streams;

/// <summary>One run of a <see cref="ThrottledQueryStage{T, TOut}"/>. There may be hundreds of thousands, so every field counts.</summary>
internal sealed class QueryLogic<T, TOut> : OutGraphStageLogic, IPageReader<T>
    where T : class
    where TOut : class
{
    private static readonly object End = new();

    private readonly Outlet<TOut> _out;
    private readonly Func<IPageReader<T>, IFeed<T>> _open;
    private readonly IItemDecoder<T, TOut> _decoder;
    private readonly Func<Exception, Exception> _explain;

    // A page, a failure or the end: one answer for each demand.
    private Action<object>? _answered;
    private IFeed<T>? _feed;
    private PageCursor<T> _cursor;
    private Queue<TOut>? _rest;
    private volatile bool _hasLeft;

    internal QueryLogic(
        SourceShape<TOut> shape, Func<IPageReader<T>, IFeed<T>> open, IItemDecoder<T, TOut> decoder, Func<Exception, Exception> explain)
        : base(shape)
    {
        (_out, _open, _decoder, _explain) = (shape.Outlet, open, decoder, explain);
        SetHandler(_out, this);
    }

    public override void PreStart()
    {
        _answered = GetAsyncCallback<object>(Answered);
        _feed = _open(this);
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
    }

    // On the journal's loop. The stage demanded and waits, so it does not touch the cursor meanwhile.
    void IPageReader<T>.Receive(Page<T> page)
    {
        if (_hasLeft)
            return;
        _cursor.Receive(page);
        _answered!(page);
    }

    void IPageReader<T>.Complete() => Answer(End);

    void IPageReader<T>.Fail(Exception error) => Answer(error);

    private void Answer(object answer)
    {
        if (!_hasLeft)
            _answered!(answer);
    }

    private void Answered(object answer)
    {
        if (answer is Exception error)
            FailStage(_explain(error));
        else if (answer == End)
            CompleteStage();
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
            FailStage(error);
            return true;
        }
        if (first is not null)
            Give(first);
        return first is not null;
    }

    private void Give(TOut item)
    {
        Push(_out, item);
        if (_cursor.IsAtEnd && _rest is not { Count: > 0 })
            CompleteStage();
    }

    private void Demand()
    {
        if (_cursor.IsAtEnd)
            CompleteStage();
        else
            _cursor.Demand(_feed!);
    }
}
