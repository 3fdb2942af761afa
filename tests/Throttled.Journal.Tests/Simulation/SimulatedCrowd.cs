using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Simulation;

/// <summary>Readers of every kind that open, leave, pause, and resume from their last position.</summary>
internal sealed class SimulatedCrowd(SimulationPlan plan, World world, SimulatedWriters writers, Random random, SimulationTrace trace)
{
    private readonly List<ISimulatedReader> _readers = [];
    private bool _areOrphans;

    internal required Coverage Coverage { get; init; }

    /// <summary>Whether a query may end with this message. The second argument: whether it is a query in journal order.</summary>
    internal Func<string, bool, bool> MayBeRefused { get; set; } = (_, _) => false;

    internal IReadOnlyList<ISimulatedReader> Readers => _readers;

    internal void Step()
    {
        if (_readers.Count == 0)
            return;
        var which = random.Next(_readers.Count);
        var reader = _readers[which];
        trace.Add("reader", reader.Standing, which);
        Coverage.AddIf(reader.HasLostPage, "a page is forgotten under its reader");
        switch (random.Next(60))
        {
            case 0:
                Coverage.Add($"cancelled: {reader.Standing}");
                reader.Cancel();
                break;
            case 1:
                Coverage.Add($"closed: {reader.Standing}");
                reader.Close();
                break;
            case 2:
            case < 10 when plan.HasPausedReaders:
                reader.IsPaused = !reader.IsPaused;
                break;
            default:
                if (!reader.IsPaused)
                    reader.Step();
                break;
        }
    }

    /// <summary>The journal was rewound while these readers ran.</summary>
    internal void Rewound()
    {
        foreach (var reader in _readers.Where(reader => reader.HasBegun))
            reader.IsRewound = true;
        // A stored position belongs to the journal before the rewind, and a query that had not begun cannot notice that.
        foreach (var run in _readers.OfType<OrderedRun>().Where(run => !run.HasBegun && run.Past.Position > run.Past.Origin))
        {
            run.IsRewound = true;
            run.Close();
        }
    }

    internal void Open()
    {
        if (_readers.Count(reader => !reader.HasEnded) < plan.Readers)
            Keep(OpenOne(random.Next(10)));
    }

    internal void Orphaned()
    {
        _areOrphans = true;
        foreach (var reader in _readers)
            reader.IsOrphan = true;
    }

    private void Keep(ISimulatedReader reader)
    {
        reader.IsOrphan = _areOrphans;
        _readers.Add(reader);
        trace.Add("opened", reader.GetType().Name);
    }

    private ISimulatedReader OpenOne(int kind) => kind switch
    {
        < 4 => OpenById(),
        < 9 => OpenOrdered(),
        _ => OpenIds(),
    };

    private ByIdRun OpenById()
    {
        var left = _readers.OfType<ByIdRun>().FirstOrDefault(reader => reader.IsClosed);
        var again = left is not null && random.Next(2) == 0;
        var id = again ? left!.Query.PersistenceId : $"id-{random.Next(plan.Ids)}";
        var from = again ? left!.Next : random.Next(2) == 0 ? 0 : random.Next(12);
        var to = random.Next(2) == 0 ? long.MaxValue : from + random.Next(-1, 12);
        return new(world.Open(id, from, to, isLive: random.Next(4) != 0), world.Journal, writers) { Delivered = Delivered, MayBeRefused = MayBeRefusedById };
    }

    private OrderedRun OpenOrdered()
    {
        var left = _readers.OfType<OrderedRun>().LastOrDefault(run => run.HasEnded && !run.IsRewound && IsFree(run.Past));
        var past = left is not null && !plan.ReusesOrderings && random.Next(2) == 0 ? left.Past : new OrderedPast(DrawFilter(), DrawPosition());
        var query = new OrderedQuery(past.Filter, past.Position, IsLive: random.Next(4) != 0);
        return new(world.Open(query), past, world.Journal, writers) { Delivered = Delivered, MayBeRefused = message => MayBeRefused(message, true) };
    }

    private bool IsFree(OrderedPast past) => !_readers.OfType<OrderedRun>().Any(run => run.Past == past && !run.HasEnded);

    private IdsRun OpenIds()
    {
        var isLive = random.Next(4) != 0;
        return new(world.OpenIds(isLive), isLive, world.Journal, writers) { Delivered = id => trace.Add("id", id), MayBeRefused = MayBeRefusedById };
    }

    private bool MayBeRefusedById(string message) => MayBeRefused(message, false);

    private void Delivered(JournalEvent row) => trace.Add("event", row.PersistenceId, (row.Ordering << 16) + row.SequenceNumber);

    private EventFilter DrawFilter()
    {
        var slice = JournalSlices.Of($"id-{random.Next(plan.Ids)}");
        return random.Next(5) switch
        {
            0 or 1 => EventFilter.All,
            2 => new() { Tag = random.Next(4) == 0 ? "blue" : "red" },
            3 => new() { Tag = "red" },
            _ => new() { Slices = random.Next(2) == 0 ? new(0, slice) : new(slice, JournalSlices.Count - 1) },
        };
    }

    private long DrawPosition() => plan.ReusesOrderings || random.Next(2) == 0 ? 0 : random.NextInt64(world.Journal.LastDrawn + 3);
}
