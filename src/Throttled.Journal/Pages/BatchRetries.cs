using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Pages;

/// <summary>Batches to retry after their statement failed: later, in halves, or each member alone. On the loop.</summary>
internal sealed class BatchRetries(JournalContext context) : IDisposable
{
    private readonly Queue<PageBatch> _ready = new();
    private readonly Dictionary<PageBatch, LoopTimer> _later = [];

    /// <summary>Whether a batch with members is ready.</summary>
    internal bool HasReady
    {
        get
        {
            while (_ready.TryPeek(out var batch) && batch.Count == 0)
                _ready.Dequeue();
            return _ready.Count > 0;
        }
    }

    internal int ReadyCount => _ready.Count;

    /// <summary>The requests that wait for a retry.</summary>
    internal IEnumerable<PageRequest> Members => _ready.Concat(_later.Keys).SelectMany(batch => batch.Members);

    /// <summary>The next ready batch with members; null if there is none.</summary>
    internal PageBatch? TakeReady()
    {
        while (_ready.TryDequeue(out var batch))
        {
            if (batch.Count > 0)
                return batch;
        }
        return null;
    }

    /// <summary>Retries the batch after a delay, which grows with each failure.</summary>
    internal void Later(PageBatch batch, Exception error)
    {
        var pause = BackOff.Delay(batch.Failures++, context.Random.NextDouble());
        context.Metrics.Retried();
        context.Log.Retried(batch.Count, pause.TotalMilliseconds, error);
        if (batch.Failures % BackOff.Many == 0)
            context.Log.StillFailing(batch.Count, batch.Failures, context.ClauseOf(error), error);
        var timer = new LoopTimer(context.Loop, _ => Ready(batch));
        _later.Add(batch, timer);
        timer.Set(pause);
    }

    /// <summary>Retries the batch in two halves. A single member is retried with half the rows.</summary>
    internal void Halve(PageBatch batch, Exception error)
    {
        context.Log.Halved(batch.Count, error);
        var (failures, limit) = (batch.Failures, Math.Min(batch.Limit, context.Options.MaxBufferSize));
        var members = batch.Dissolve();
        if (members.Length == 1)
        {
            Later(new(members, Math.Max(1, limit / 2)) { Failures = failures }, error);
            return;
        }
        var middle = members.Length / 2;
        context.Metrics.Retried();
        _ready.Enqueue(new(members[..middle], batch.Limit));
        _ready.Enqueue(new(members[middle..], batch.Limit));
    }

    internal void Isolate(PageBatch batch, Exception error)
    {
        context.Log.Isolated(batch.Count, error);
        context.Metrics.Retried();
        foreach (var member in batch.Dissolve())
            _ready.Enqueue(new([member], batch.Limit));
    }

    /// <summary>Removes and returns all batches, ready or not.</summary>
    internal IReadOnlyList<PageBatch> TakeAll()
    {
        List<PageBatch> all = [.. _ready, .. _later.Keys];
        _ready.Clear();
        Dispose();
        return all;
    }

    public void Dispose()
    {
        foreach (var timer in _later.Values)
            timer.Dispose();
        _later.Clear();
    }

    private void Ready(PageBatch batch)
    {
        if (_later.Remove(batch, out var timer))
            timer.Dispose();
        _ready.Enqueue(batch);
    }
}
