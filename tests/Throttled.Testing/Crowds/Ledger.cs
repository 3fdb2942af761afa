namespace Throttled.Testing;

/// <summary>The committed events, as their writers know them, and what every query must have got of them.</summary>
internal sealed class Ledger
{
    /// <summary>The number of slices of each query by slices.</summary>
    internal const int SlicesEach = 64;

    private const int Missing = -1;

    // For each id, by sequence number. A few bytes per event, because a long run has millions.
    private readonly Dictionary<string, List<int>> _events = [];
    private readonly Dictionary<string, int> _numbers = [];
    private readonly List<IReadOnlyList<string>> _tags = [];
    private readonly Dictionary<CrowdQuery, int> _counts = [];
    private int _count;

    internal int Count
    {
        get
        {
            lock (_events)
                return _count;
        }
    }

    /// <summary>The bytes of memory that grow with the events.</summary>
    internal long Bytes
    {
        get
        {
            lock (_events)
                return _events.Values.Sum(each => (long)each.Capacity * sizeof(int));
        }
    }

    internal void Committed(IEnumerable<JournalEvent> events)
    {
        lock (_events)
        {
            foreach (var each in events)
                Committed(each);
        }
    }

    /// <summary>The number of committed events, as far as known, that a query selects.</summary>
    internal int CountOf(CrowdQuery query)
    {
        lock (_events)
            return _counts.GetValueOrDefault(query);
    }

    /// <summary>What each query must have got. The orderings come from the journal's rows, which must be the committed events.</summary>
    internal async Task<Dictionary<CrowdQuery, Fold>> FoldsAsync(ILedgerJournal journal)
    {
        Dictionary<CrowdQuery, Fold> folds = [];
        HashSet<string> ids = [];
        await using var connection = await journal.ConnectAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT ordering, persistence_id, sequence_number FROM journal ORDER BY ordering";
        await using var rows = await command.ExecuteReaderAsync();
        var count = 0;
        for (; await rows.ReadAsync(); count++)
        {
            var (ordering, id) = (rows.GetInt64(0), rows.GetString(1));
            foreach (var query in QueriesOf(id, TagsOf(id, rows.GetInt64(2))))
                Add(folds, query, ordering);
            ids.Add(id);
        }
        Assert.Equal(_count, count);
        folds[new(CrowdKind.Ids)] = FoldOf(ids);
        return folds;
    }

    private void Committed(JournalEvent each)
    {
        Keep(each);
        if (!_counts.ContainsKey(new(CrowdKind.ById, each.PersistenceId)))
            CountOne(new(CrowdKind.Ids));
        foreach (var query in QueriesOf(each.PersistenceId, each.Tags))
            CountOne(query);
    }

    private void Keep(JournalEvent each)
    {
        var tags = string.Join('\n', each.Tags);
        if (!_numbers.TryGetValue(tags, out var number))
        {
            _numbers.Add(tags, number = _tags.Count);
            _tags.Add(each.Tags);
        }
        if (!_events.TryGetValue(each.PersistenceId, out var numbers))
            _events.Add(each.PersistenceId, numbers = []);
        while (numbers.Count < each.SequenceNumber)
            numbers.Add(Missing);
        Assert.Equal(Missing, numbers[(int)each.SequenceNumber - 1]);
        numbers[(int)each.SequenceNumber - 1] = number;
        _count++;
    }

    private IReadOnlyList<string> TagsOf(string id, long sequenceNumber)
    {
        var number = _events[id][(int)sequenceNumber - 1];
        Assert.NotEqual(Missing, number);
        return _tags[number];
    }

    private void CountOne(CrowdQuery query) => _counts[query] = _counts.GetValueOrDefault(query) + 1;

    private static IEnumerable<CrowdQuery> QueriesOf(string id, IReadOnlyList<string> tags) =>
    [
        new(CrowdKind.All), new(CrowdKind.ById, id), new(CrowdKind.Slices, $"{JournalSlices.Of(id) / SlicesEach * SlicesEach}"),
        .. tags.Select(tag => new CrowdQuery(CrowdKind.Tag, tag)),
    ];

    private static void Add(Dictionary<CrowdQuery, Fold> folds, CrowdQuery query, long ordering)
    {
        var fold = folds.GetValueOrDefault(query);
        fold.Add(ordering);
        folds[query] = fold;
    }

    private static Fold FoldOf(IEnumerable<string> ids)
    {
        var fold = new Fold();
        foreach (var id in ids)
            fold.Add(id);
        return fold;
    }
}
