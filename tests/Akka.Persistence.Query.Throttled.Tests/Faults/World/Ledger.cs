using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>A query over a crowd's journal, by kind and, but for all events and ids, by what it selects.</summary>
internal readonly record struct CrowdQuery(CrowdKind Kind, string Argument = "");

internal enum CrowdKind
{
    ById,
    Tag,
    Slices,
    All,
    Ids,
}

/// <summary>What was committed, as its writers know it, and what every query must have got of it.</summary>
internal sealed class Ledger
{
    /// <summary>The slices of one query; each query has so many.</summary>
    internal const int SlicesEach = 64;

    private readonly Dictionary<(string PersistenceId, long SequenceNumber), IReadOnlyList<string>> _events = [];

    internal int Count
    {
        get
        {
            lock (_events)
                return _events.Count;
        }
    }

    internal void Committed(IEnumerable<JournalEvent> events)
    {
        lock (_events)
        {
            foreach (var each in events)
                _events.Add((each.PersistenceId, each.SequenceNumber), each.Tags);
        }
    }

    /// <summary>What each query must have got. The journal's rows bring the orderings; they must be those that were committed.</summary>
    internal async Task<Dictionary<CrowdQuery, Fold>> FoldsAsync(ServerJournal journal)
    {
        Dictionary<CrowdQuery, Fold> folds = [];
        HashSet<string> ids = [];
        await using var command = journal.Sql.CreateCommand("SELECT ordering, persistence_id, sequence_number FROM journal ORDER BY ordering");
        await using var rows = await command.ExecuteReaderAsync();
        var count = 0;
        for (; await rows.ReadAsync(); count++)
        {
            var (ordering, id) = (rows.GetInt64(0), rows.GetString(1));
            foreach (var query in QueriesOf(id, _events[(id, rows.GetInt64(2))]))
                Add(folds, query, ordering);
            ids.Add(id);
        }
        Assert.Equal(_events.Count, count);
        folds[new(CrowdKind.Ids)] = FoldOf(ids);
        return folds;
    }

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
