namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>Time, a network and a journal from a seed.</summary>
internal sealed class SimulatedWorld(int seed)
{
    private readonly PriorityQueue<Action, (TimeSpan, int)> _actions = new();
    private readonly Dictionary<string, long> _numbers = [];
    private readonly List<SimulatedQuery> _waiting = [];
    private int _count;

    internal Random Random { get; } = new(seed);

    internal TimeSpan Now { get; private set; }

    internal List<JournalEvent> Events { get; } = [];

    internal long End => Events.Count == 0 ? 0 : Events[^1].Ordering;

    /// <summary>Whether nothing is lost, doubled or late any more.</summary>
    internal bool IsCalm { get; set; }

    internal bool Happens(double probability) => !IsCalm && Random.NextDouble() < probability;

    internal void After(int milliseconds, Action action) => _actions.Enqueue(action, (Now + TimeSpan.FromMilliseconds(milliseconds), _count++));

    internal void Soon(Action action) => After(Random.Next(1, 40), action);

    /// <summary>Sends a message, which may be lost, doubled or late.</summary>
    internal void Send(Action arrive)
    {
        for (var copies = Happens(0.05) ? 0 : Happens(0.05) ? 2 : 1; copies > 0; copies--)
            After(IsCalm ? 20 : Happens(0.03) ? Random.Next(500, 20_000) : Random.Next(1, 60), arrive);
    }

    internal bool RunUntil(Func<bool> isDone, TimeSpan most)
    {
        var end = Now + most;
        while (!isDone())
        {
            if (!_actions.TryPeek(out _, out var due) || due.Item1 > end)
            {
                Now = end;
                return false;
            }
            Now = due.Item1;
            _actions.Dequeue()();
        }
        return true;
    }

    internal void Append(int count)
    {
        for (var i = 0; i < count; i++)
        {
            var id = $"account-{Random.Next(30)}";
            _numbers[id] = _numbers.GetValueOrDefault(id) + 1;
            Events.Add(new()
            {
                Ordering = End + (Random.Next(5) == 0 ? Random.Next(1, 30) : 1),
                PersistenceId = id,
                SequenceNumber = _numbers[id],
                Payload = new byte[Random.Next(20) == 0 ? 2000 : Random.Next(100)],
            });
        }
        foreach (var query in _waiting.ToList())
            Soon(query.Answer);
        _waiting.Clear();
    }

    internal void Wait(SimulatedQuery query) => _waiting.Add(query);
}

/// <summary>A live query of the journal. It reads pages of ten events.</summary>
internal sealed class SimulatedQuery(SimulatedWorld world, long after, SliceRange slices)
{
    private long _position = after;
    private bool _isDemanded;
    private bool _isClosed;

    internal required Action<IReadOnlyList<JournalEvent>> Page { get; init; }

    internal required Action<long> Scanned { get; init; }

    internal Action Failed { get; init; } = () => { };

    internal double Faults { get; init; }

    internal void Demand()
    {
        _isDemanded = true;
        world.Soon(Answer);
    }

    internal void Scan() => world.Soon(() =>
    {
        if (!_isDemanded || _isClosed || Next().Count > 0)
            return;
        _position = Math.Max(_position, world.End);
        var upTo = _position;
        world.Soon(() =>
        {
            if (!_isClosed)
                Scanned(upTo);
        });
    });

    internal void Close() => _isClosed = true;

    internal void Answer()
    {
        if (_isClosed || !_isDemanded)
            return;
        if (world.Happens(Faults))
        {
            _isClosed = true;
            Failed();
            return;
        }
        var page = Next();
        if (page.Count == 0)
        {
            world.Wait(this);
            return;
        }
        _isDemanded = false;
        _position = page[^1].Ordering;
        Page(page);
    }

    private List<JournalEvent> Next()
    {
        var index = world.Events.FindIndex(stored => stored.Ordering > _position);
        return index < 0 ? [] : [.. world.Events.Skip(index).Where(stored => slices.Contains(JournalSlices.Of(stored.PersistenceId))).Take(10)];
    }
}
