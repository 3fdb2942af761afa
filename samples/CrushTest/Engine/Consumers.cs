namespace CrushTest.Engine;

/// <summary>One loop per live query, which awaits the next event and checks it.</summary>
internal sealed class Consumers(string[] ids, Tally tally)
{
    private readonly Task[] _loops = new Task[ids.Length];
    private readonly TaskCompletionSource _allDelivered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _started;
    private int _unfinished = ids.Length;

    internal Tally Tally => tally;

    internal int Started => Volatile.Read(ref _started);

    /// <summary>Completes when each query has delivered the initial events, or failed.</summary>
    internal Task AllDelivered => _allDelivered.Task;

    /// <summary>Starts all loops; each runs until it first has to wait.</summary>
    internal void Start(Func<string, IAsyncEnumerable<JournalEvent>> open)
    {
        for (var i = 0; i < ids.Length; i++)
        {
            _loops[i] = FollowAsync(i, open(ids[i]));
            Volatile.Write(ref _started, i + 1);
        }
    }

    internal Task EndAsync() => Task.WhenAll(_loops);

    private async Task FollowAsync(int index, IAsyncEnumerable<JournalEvent> events)
    {
        try
        {
            await foreach (var each in events)
            {
                if (tally.Take(index, each.PersistenceId, each.SequenceNumber))
                    Finished();
            }
            Ended(index, new InvalidOperationException("The live query ended by itself."));
        }
        catch (Exception error)
        {
            Ended(index, error);
        }
    }

    private void Ended(int index, Exception error)
    {
        if (tally.Ended(index, error))
            Finished();
    }

    private void Finished()
    {
        if (Interlocked.Decrement(ref _unfinished) == 0)
            _allDelivered.SetResult();
    }
}
