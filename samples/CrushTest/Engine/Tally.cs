namespace CrushTest.Engine;

/// <summary>
/// Checks what arrives: of each id the next sequence number. Nothing is allocated for an event, and nothing is shared between
/// the ids but what goes wrong. Each id's events come one at a time, different ones at once.
/// </summary>
/// <param name="ids">The persistence ids.</param>
/// <param name="events">Events of each that are there from the start.</param>
/// <param name="late">Told of each event past these: which id, and its sequence number.</param>
/// <param name="first">The first sequence number of each.</param>
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

    /// <summary>Queries that have delivered the last of the events that were there from the start.</summary>
    internal int Complete => _next.Count(next => next > events);

    /// <summary>From now on the end of a query is no failure.</summary>
    internal void Ending() => _ending = true;

    /// <summary>An event came.</summary>
    /// <returns>Whether it is the last of those that were there from the start.</returns>
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

    /// <summary>A query ended.</summary>
    /// <returns>Whether that is a failure, and comes before the last of the events that were there from the start.</returns>
    internal bool Ended(int index, Exception error)
    {
        if (_ending)
            return false;
        Flaws.Failed(error);
        return _next[index] <= events;
    }

    /// <summary>Counts what was not delivered as missing.</summary>
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
