using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// The persistence ids of the journal, in the order in which they were found. One scan serves all live queries; then the tail adds new ids. Cleared
/// when the last of these queries ends. On the loop.
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

    internal string[] Slice(int from, int most) => [.. _ids.GetRange(from, Math.Min(most, _ids.Count - from))];

    internal int IndexOf(string id, int from) => _ids.IndexOf(id, from);

    /// <summary>Scans the existing ids. The tail reports those that come from now on.</summary>
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

    internal void Observe(string persistenceId)
    {
        // An id that cannot be read is empty.
        if (_feeds.Count > 0 && persistenceId.Length > 0 && _known.Add(persistenceId))
            _ids.Add(persistenceId);
    }

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
