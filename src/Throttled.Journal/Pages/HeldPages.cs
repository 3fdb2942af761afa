using Throttled.Journal.Loop;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Pages;

/// <summary>
/// The pages that readers hold, the oldest first. When the byte budget is exhausted, pages that were held for a second are reclaimed. Otherwise idle
/// readers would stop the others. On the loop.
/// </summary>
internal sealed class HeldPages : IDisposable
{
    private static readonly TimeSpan IdleTime = TimeSpan.FromSeconds(1);

    private readonly LinkedQueue<PageRequest> _requests = new();
    private readonly JournalLoop _loop;
    private readonly ByteBudget _budget;
    private readonly LoopTimer _timer;

    internal HeldPages(JournalLoop loop, ByteBudget budget)
    {
        _loop = loop;
        _budget = budget;
        _timer = new(loop, ReclaimExpired);
    }

    internal void Add(PageRequest request)
    {
        request.Since = _loop.Now;
        _requests.Enqueue(request);
    }

    internal void Remove(PageRequest request) => _requests.Remove(request);

    /// <summary>Schedules the reclaim, because a request waits for bytes.</summary>
    internal void ReclaimIdle()
    {
        if (!_timer.IsSet && _requests.First is { } longest)
            _timer.Set(longest.Since + IdleTime - _loop.Now);
    }

    public void Dispose() => _timer.Dispose();

    private void ReclaimExpired(TimeSpan now)
    {
        while (_budget.IsExhausted && _requests.First is { } longest && longest.Since + IdleTime <= now)
        {
            _requests.Remove(longest);
            longest.Reclaim();
        }
    }
}
