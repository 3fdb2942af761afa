using Throttled.Journal.Lines;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Pages;

/// <summary>
/// Pages that readers hold, the longest held first. When the byte budget is exhausted, those of readers that have been at theirs
/// for a second are reclaimed, so that idle readers do not stop the others. On the loop.
/// </summary>
internal sealed class HeldPages : IDisposable
{
    private static readonly TimeSpan Asleep = TimeSpan.FromSeconds(1);

    private readonly Line<PageRequest> _holders = new();
    private readonly JournalLoop _loop;
    private readonly ByteBudget _budget;
    private readonly LoopTimer _timer;

    internal HeldPages(JournalLoop loop, ByteBudget budget)
    {
        _loop = loop;
        _budget = budget;
        _timer = new(loop, ForgetSleepers);
    }

    internal void Add(PageRequest holder)
    {
        holder.Since = _loop.Now;
        _holders.Join(holder);
    }

    internal void Remove(PageRequest holder) => _holders.Leave(holder);

    /// <summary>Somebody waits for bytes.</summary>
    internal void MakeRoom()
    {
        if (!_timer.IsSet && _holders.First is { } longest)
            _timer.Set(longest.Since + Asleep - _loop.Now);
    }

    public void Dispose() => _timer.Dispose();

    private void ForgetSleepers(TimeSpan now)
    {
        while (_budget.IsSpent && _holders.First is { } longest && longest.Since + Asleep <= now)
        {
            _holders.Leave(longest);
            longest.Forget();
        }
    }
}
