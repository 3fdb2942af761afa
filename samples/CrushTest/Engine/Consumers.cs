using Throttled.Journal;

namespace CrushTest.Engine;

/// <summary>
/// One reader a live query: a loop that awaits the next event and checks it. Nothing is allocated for an event, and nothing is
/// shared between the loops but what goes wrong.
/// </summary>
internal sealed class Consumers
{
    private readonly string[] _ids;
    private readonly int _events;
    private readonly Action<int, long> _late;
    private readonly int[] _next;
    private readonly Task[] _loops;
    private readonly Flaws _flaws = new();
    private readonly TaskCompletionSource _allDelivered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _started;
    private int _unfinished;
    private volatile bool _ending;

    /// <param name="ids">The persistence ids.</param>
    /// <param name="events">Events of each that are there from the start.</param>
    /// <param name="late">Told of each event past these: which id, and its sequence number.</param>
    internal Consumers(string[] ids, int events, Action<int, long> late)
    {
        (_ids, _events, _late) = (ids, events, late);
        _next = new int[ids.Length];
        Array.Fill(_next, 1);
        _loops = new Task[ids.Length];
        _unfinished = ids.Length;
    }

    internal Flaws Flaws => _flaws;

    internal int Started => Volatile.Read(ref _started);

    /// <summary>Events delivered so far, late ones too.</summary>
    internal long Delivered
    {
        get
        {
            var sum = 0L;
            foreach (var next in _next)
                sum += next - 1;
            return sum;
        }
    }

    /// <summary>Ends when each query has delivered the events that were there from the start, or failed.</summary>
    internal Task AllDelivered => _allDelivered.Task;

    /// <summary>Starts all loops; each runs until it first has to wait.</summary>
    internal void Start(Func<string, IAsyncEnumerable<JournalEvent>> open)
    {
        for (var i = 0; i < _ids.Length; i++)
        {
            _loops[i] = FollowAsync(i, open(_ids[i]));
            Volatile.Write(ref _started, i + 1);
        }
    }

    /// <summary>From now on the end of a query is no failure.</summary>
    internal void Ending() => _ending = true;

    /// <summary>Waits for the ends of all loops.</summary>
    internal Task EndAsync() => Task.WhenAll(_loops);

    /// <summary>Counts what was not delivered as missing.</summary>
    /// <param name="last">The last sequence number of an id.</param>
    internal void CountMissing(Func<int, int> last)
    {
        for (var i = 0; i < _next.Length; i++)
            _flaws.Expect(i, _next[i], last(i));
    }

    private async Task FollowAsync(int index, IAsyncEnumerable<JournalEvent> events)
    {
        try
        {
            await foreach (var each in events)
                Take(index, each);
            Ended(index, new InvalidOperationException("The live query ended by itself."));
        }
        catch (Exception error)
        {
            Ended(index, error);
        }
    }

    private void Take(int index, JournalEvent each)
    {
        var number = each.SequenceNumber;
        if (number != _next[index] || each.PersistenceId != _ids[index])
            Odd(index, number);
        else
            _next[index]++;
        if (number == _events && Interlocked.Decrement(ref _unfinished) == 0)
            _allDelivered.SetResult();
        if (number > _events)
            _late(index, number);
    }

    private void Odd(int index, long number)
    {
        _flaws.Add(index, _next[index], number);
        _next[index] = (int)Math.Max(_next[index], number + 1);
    }

    private void Ended(int index, Exception error)
    {
        if (_ending)
            return;
        _flaws.Failed(error);
        if (_next[index] <= _events && Interlocked.Decrement(ref _unfinished) == 0)
            _allDelivered.SetResult();
    }
}
