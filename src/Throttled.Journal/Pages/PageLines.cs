using Throttled.Journal.Lines;
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
internal sealed class PageLines(JournalOptions options, JournalLoop loop, int processors, Func<int> permits)
{
    private readonly Line<PageRequest> _byId = new();
    private readonly SingleLine _singles = new(options);
    private readonly StatementShare _share = new(options.MaxQueriesPerStatement);
    private readonly LineShares _shares = new(loop, processors);
    private bool _isSinglesTurn;
    private long _turns;

    internal int Count => _byId.Count + _singles.Line.Count;

    /// <summary>How many statements could start, at most.</summary>
    internal int Startable => _singles.Line.Count + Math.Min(_byId.Count, ByIdRoom);

    private int ByIdRoom => _shares.ByIdRoom(permits(), _singles.Line.Count > 0);

    /// <summary>Those who wait and of whom something is true, as the queues are now.</summary>
    internal IReadOnlyList<PageRequest> Where(Predicate<PageRequest> isTrue) => [.. _byId.Where(isTrue), .. _singles.Line.Where(isTrue)];

    /// <summary>The request that has waited longest; null where nobody waits.</summary>
    internal PageRequest? Longest => (_byId.First, _singles.Line.First) switch
    {
        ({ } byId, { } single) => byId.Since <= single.Since ? byId : single,
        var (byId, single) => byId ?? single,
    };

    internal void Join(PageRequest request)
    {
        request.Turn = ++_turns;
        LineOf(request).Join(request);
    }

    /// <summary>Those of one statement that were not reached go on before all that were enqueued later: others may have been requeued before them.</summary>
    internal void GoBack(IReadOnlyList<PageRequest> requests)
    {
        foreach (var request in requests)
            request.Batch = null;
        if (requests.Count > 0)
            LineOf(requests[0]).Insert(requests, static (one, other) => one.Turn < other.Turn);
    }

    /// <returns>Whether it was in a queue.</returns>
    internal bool Leave(PageRequest request) => LineOf(request).Leave(request);

    internal PageRequest? TakeFirst() => _byId.TakeFirst() ?? _singles.Line.TakeFirst();

    /// <summary>A statement begins.</summary>
    internal void Started(BatchRead read) => _shares.Started(read is not ByIdBatchRead);

    /// <summary>A statement has ended.</summary>
    internal void Ended(BatchRead read) => _shares.Ended(read is not ByIdBatchRead);

    /// <summary>Who goes on with the next permit.</summary>
    /// <param name="free">Permits that are free, this one included; at least one.</param>
    /// <returns>The batch; null where nobody may start.</returns>
    internal PageBatch? TakeBatch(int free)
    {
        var isSingle = _singles.Line.Count > 0 && (_isSinglesTurn || _byId.Count == 0);
        _isSinglesTurn = !isSingle;
        var members = isSingle ? _singles.TakeNext() : TakeById(free);
        return members is null ? null : new(members);
    }

    /// <summary>A statement by persistence ids read so many rows for so many members.</summary>
    internal void Learn(int rows, int members) => _share.Learn(rows, members);

    private PageRequest[]? TakeById(int free)
    {
        if (_byId.Count == 0 || ByIdRoom == 0)
            return null;
        var members = new PageRequest[_share.Of(_byId.Count, free)];
        for (var i = 0; i < members.Length; i++)
            members[i] = _byId.TakeFirst()!;
        return members;
    }

    private Line<PageRequest> LineOf(PageRequest request) => request is IByIdRequest ? _byId : _singles.Line;
}
