using Throttled.Journal.Loop;

namespace Throttled.Journal.Pages;

/// <summary>
/// Where requests wait: those by persistence id, which share statements, in one queue, all others in another. First come, first served
/// within each; the queues take turns, so that neither starves the other. On the loop.
/// </summary>
/// <param name="options">The options.</param>
/// <param name="loop">The loop.</param>
/// <param name="processors">How many statements this machine can read at a time.</param>
/// <param name="permits">How many permits there are now.</param>
internal sealed class PageQueues(JournalOptions options, JournalLoop loop, int processors, Func<int> permits)
{
    private readonly LinkedQueue<PageRequest> _byId = new();
    private readonly CoalescingQueue _singles = new(options);
    private readonly BatchSizer _sizer = new(options.MaxQueriesPerStatement);
    private readonly FairShare _fairShare = new(loop, processors);
    private bool _isSinglesTurn;
    private long _turns;

    internal int Count => _byId.Count + _singles.Queue.Count;

    /// <summary>How many statements could start, at most.</summary>
    internal int Startable => _singles.Queue.Count + Math.Min(_byId.Count, ByIdRoom);

    private int ByIdRoom => _fairShare.ByIdRoom(permits(), _singles.Queue.Count > 0);

    /// <summary>Those who wait and of whom something is true, as the queues are now.</summary>
    internal IReadOnlyList<PageRequest> Where(Predicate<PageRequest> isTrue) => [.. _byId.Where(isTrue), .. _singles.Queue.Where(isTrue)];

    /// <summary>The request that has waited longest; null where nobody waits.</summary>
    internal PageRequest? Longest => (_byId.First, _singles.Queue.First) switch
    {
        ({ } byId, { } single) => byId.Since <= single.Since ? byId : single,
        var (byId, single) => byId ?? single,
    };

    internal void Enqueue(PageRequest request)
    {
        request.Turn = ++_turns;
        QueueOf(request).Enqueue(request);
    }

    /// <summary>Those of one statement that were not reached go on before all that were enqueued later: others may have been requeued before them.</summary>
    internal void Requeue(IReadOnlyList<PageRequest> requests)
    {
        foreach (var request in requests)
            request.Batch = null;
        if (requests.Count > 0)
            QueueOf(requests[0]).Insert(requests, static (one, other) => one.Turn < other.Turn);
    }

    /// <returns>Whether it was in a queue.</returns>
    internal bool Remove(PageRequest request) => QueueOf(request).Remove(request);

    internal PageRequest? TakeFirst() => _byId.TakeFirst() ?? _singles.Queue.TakeFirst();

    /// <summary>A statement begins.</summary>
    internal void Started(BatchRead read) => _fairShare.Started(read is not ByIdBatchRead);

    /// <summary>A statement has ended.</summary>
    internal void Ended(BatchRead read) => _fairShare.Ended(read is not ByIdBatchRead);

    /// <summary>Who goes on with the next permit.</summary>
    /// <param name="free">Permits that are free, this one included; at least one.</param>
    /// <returns>The batch; null where nobody may start.</returns>
    internal PageBatch? TakeBatch(int free)
    {
        var isSingle = _singles.Queue.Count > 0 && (_isSinglesTurn || _byId.Count == 0);
        _isSinglesTurn = !isSingle;
        var members = isSingle ? _singles.TakeNext() : TakeById(free);
        return members is null ? null : new(members);
    }

    /// <summary>A statement by persistence ids read so many rows for so many members.</summary>
    internal void Record(int rows, int members) => _sizer.Record(rows, members);

    private PageRequest[]? TakeById(int free)
    {
        if (_byId.Count == 0 || ByIdRoom == 0)
            return null;
        var members = new PageRequest[_sizer.SizeFor(_byId.Count, free)];
        for (var i = 0; i < members.Length; i++)
            members[i] = _byId.TakeFirst()!;
        return members;
    }

    private LinkedQueue<PageRequest> QueueOf(PageRequest request) => request is IByIdPageRequest ? _byId : _singles.Queue;
}
