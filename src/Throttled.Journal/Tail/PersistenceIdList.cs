using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// The persistence ids of the journal, in the order in which they were found: scanned once for all live queries of them, then notified by the
/// tail. Forgotten when the last such query ends. On the loop.
/// </summary>
internal sealed class PersistenceIdList(TailContext tailContext, Action began, Action ended) : PageRequest, IIdsPageRequest
{
    private readonly List<string> _ids = [];
    private readonly HashSet<string> _known = new(StringComparer.Ordinal);
    private readonly HashSet<IIdsFollower> _feeds = [];
    private string? _scanned;
    private bool _isScanning;
    private bool _isToScanAgain;
    private int _notified;

    internal int Count => _feeds.Count;

    internal override bool IsLive => true;

    internal override string Subject => "the persistence ids";

    internal void Add(IIdsFollower feed)
    {
        _feeds.Add(feed);
        if (_feeds.Count == 1)
            began();
    }

    internal void Remove(IIdsFollower feed)
    {
        if (!_feeds.Remove(feed) || _feeds.Count > 0)
            return;
        tailContext.Scheduler.Remove(this);
        (_isScanning, _isToScanAgain, _notified) = (false, false, 0);
        _ids.Clear();
        _known.Clear();
        ended();
    }

    /// <summary>Ids from an index on, at most so many.</summary>
    internal string[] Slice(int from, int most) => [.. _ids.GetRange(from, Math.Min(most, _ids.Count - from))];

    internal int IndexOf(string id, int from) => _ids.IndexOf(id, from);

    /// <summary>The tail notifies of all that comes from now on: what came before has to be scanned.</summary>
    internal void Scan()
    {
        if (_feeds.Count == 0)
            return;
        if (_isScanning)
        {
            _isToScanAgain = true;
            return;
        }
        _scanned = null;
        _isScanning = true;
        tailContext.Scheduler.Enqueue(this);
    }

    /// <summary>The tail observed a key.</summary>
    internal void Observe(string persistenceId)
    {
        // An id that cannot be read is nobody's.
        if (_feeds.Count > 0 && persistenceId.Length > 0 && _known.Add(persistenceId))
            _ids.Add(persistenceId);
    }

    /// <summary>Notifies the feeds of what is new.</summary>
    internal void Notify()
    {
        if (_notified == _ids.Count)
            return;
        _notified = _ids.Count;
        foreach (var feed in All())
            feed.NotifyOfIds();
    }

    public string? CreateRequest() => _scanned;

    public void Accept(IdsResult result)
    {
        for (var i = 0; result.Page is { } page && i < page.Count; i++)
            Observe(page[i]!);
        tailContext.Budget.Release(result.Page?.Bytes ?? 0);
        _scanned = result.Last;
        _isScanning = result.MayHaveMore;
        if (_isScanning)
            tailContext.Scheduler.Enqueue(this);
        else if (_isToScanAgain)
        {
            _isToScanAgain = false;
            Scan();
        }
        Notify();
    }

    internal override void Fail(Func<Exception> error)
    {
        _isScanning = false;
        FailAll(error);
    }

    internal void FailAll(Func<Exception> error)
    {
        foreach (var feed in All())
            feed.End(error());
    }

    internal override void Reclaim()
    {
    }

    private List<IIdsFollower> All() => [.. _feeds];
}
