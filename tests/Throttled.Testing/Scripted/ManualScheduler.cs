using Throttled.Journal.Loop;

namespace Throttled.Testing.Scripted;

/// <summary>Runs work when the test says so, one item at a time, in order or in a random order.</summary>
internal sealed class ManualScheduler : ILoopScheduler
{
    private readonly List<IThreadPoolWorkItem> _work = [];
    private readonly Lock _lock = new();

    internal int Count
    {
        get
        {
            lock (_lock)
                return _work.Count;
        }
    }

    public void Run(IThreadPoolWorkItem work)
    {
        lock (_lock)
            _work.Add(work);
    }

    /// <param name="random">Chooses the item; null for the oldest.</param>
    /// <returns>Whether there was an item.</returns>
    internal bool Step(Random? random = null)
    {
        IThreadPoolWorkItem? next;
        lock (_lock)
            next = Take(random);
        next?.Execute();
        return next is not null;
    }

    private IThreadPoolWorkItem? Take(Random? random)
    {
        if (_work.Count == 0)
            return null;
        var index = random?.Next(_work.Count) ?? 0;
        var next = _work[index];
        _work.RemoveAt(index);
        return next;
    }
}
