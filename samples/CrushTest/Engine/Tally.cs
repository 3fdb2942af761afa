namespace CrushTest.Engine;

/// <summary>
/// Checks that each id's events arrive in order of their sequence numbers. It allocates nothing per event, and ids share
/// only the count of flaws. Calls for different ids may run at once; calls for one id may not.
/// </summary>
/// <param name="late">Called for each later event, with the id's index and the sequence number.</param>
internal sealed class Tally(string[] ids, int events, Action<int, long> late, int first = 1)
{
    private readonly int[] _next = Filled(ids.Length, first);
    private volatile bool _ending;

    internal Flaws Flaws { get; } = new();

    /// <summary>Events delivered so far, late ones too.</summary>
    internal long Delivered
    {
        get
        {
            var sum = 0L;
            foreach (var next in _next)
                sum += next - first;
            return sum;
        }
    }

    /// <summary>Queries that have delivered the last initial event.</summary>
    internal int Complete => _next.Count(next => next > events);

    /// <summary>From now on, the end of a query is not a failure.</summary>
    internal void Ending() => _ending = true;

    /// <summary>Takes an event.</summary>
    /// <returns>Whether it is the last initial event.</returns>
    internal bool Take(int index, string persistenceId, long number)
    {
        if (number != _next[index] || persistenceId != ids[index])
            Odd(index, number);
        else
            _next[index]++;
        if (number > events)
            late(index, number);
        return number == events;
    }

    /// <summary>Takes the end of a query.</summary>
    /// <returns>Whether it is a failure before the last initial event.</returns>
    internal bool Ended(int index, Exception error)
    {
        if (_ending)
            return false;
        Flaws.Failed(error);
        return _next[index] <= events;
    }

    /// <summary>Counts events that were not delivered as missing.</summary>
    /// <param name="last">The last sequence number of an id.</param>
    internal void CountMissing(Func<int, int> last)
    {
        for (var i = 0; i < _next.Length; i++)
            Flaws.Expect(i, _next[i], last(i));
    }

    private void Odd(int index, long number)
    {
        Flaws.Add(index, _next[index], number);
        _next[index] = (int)Math.Max(_next[index], number + 1);
    }

    private static int[] Filled(int count, int value)
    {
        var filled = new int[count];
        Array.Fill(filled, value);
        return filled;
    }
}
