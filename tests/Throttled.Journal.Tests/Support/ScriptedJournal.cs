using Throttled.Journal.Sql;

namespace Throttled.Journal.Tests.Support;

/// <summary>A journal table in memory, with transactions that draw their numbers before they commit.</summary>
internal sealed class ScriptedJournal
{
    private readonly SortedDictionary<long, ScriptedRow> _rows = [];
    private readonly Dictionary<string, List<ScriptedRow>> _byId = new(StringComparer.Ordinal);
    private readonly List<ScriptedTransaction> _open = [];
    private readonly List<ScriptedTransaction> _ending = [];
    private int _names;

    /// <summary>Whether the numbers of removed newest rows are given out again.</summary>
    internal bool ReusesOrderings { get; init; }

    /// <summary>Counts changes, so that a test can say what was there at a time.</summary>
    internal int Changes { get; private set; }

    internal long LastDrawn { get; private set; }

    internal IReadOnlyList<ScriptedTransaction> Open => _open;

    /// <summary>Transactions that ended and still show as holders.</summary>
    internal IReadOnlyList<ScriptedTransaction> Ending => _ending;

    internal IReadOnlySet<string> Holders =>
        _open.Where(open => open.IsHolder).Concat(_ending).Select(open => open.Name).ToHashSet(StringComparer.Ordinal);

    internal JournalKey? Last => _rows.Count == 0 ? null : Key(_rows.Last().Value);

    internal ScriptedTransaction Begin(string? name = null)
    {
        var transaction = new ScriptedTransaction(this, name ?? $"{++_names}/1");
        _open.Add(transaction);
        return transaction;
    }

    /// <summary>Appends events in a transaction of their own.</summary>
    internal void Append(string persistenceId, long from, long to, int payload = 10)
    {
        var transaction = Begin();
        for (var sequenceNumber = from; sequenceNumber <= to; sequenceNumber++)
            transaction.Add(persistenceId, sequenceNumber, payload);
        transaction.Commit();
        LetGo(transaction);
    }

    internal long Draw() => ++LastDrawn;

    internal void Commit(ScriptedTransaction transaction)
    {
        Changes++;
        foreach (var row in transaction.Rows)
        {
            _rows.Add(row.Ordering, row);
            RowsOf(row.PersistenceId).Add(row);
        }
        End(transaction);
    }

    internal void RollBack(ScriptedTransaction transaction)
    {
        End(transaction);
        if (ReusesOrderings)
            LastDrawn = Last?.Ordering ?? 0;
    }

    /// <summary>The newest rows are gone and their orderings are drawn anew, as after a failover that lost the last commits.</summary>
    internal void Rewind(long to)
    {
        Changes++;
        foreach (var row in _rows.Values.Where(row => row.Ordering > to).ToList())
        {
            _rows.Remove(row.Ordering);
            RowsOf(row.PersistenceId).Remove(row);
        }
        LastDrawn = to;
    }

    /// <summary>The transaction's locks are gone.</summary>
    internal void LetGo(ScriptedTransaction transaction) => _ending.Remove(transaction);

    internal void MarkDeleted(string persistenceId, long to)
    {
        Changes++;
        foreach (var row in RowsOf(persistenceId).Where(row => row.SequenceNumber <= to))
            row.DeletedAt ??= Changes;
    }

    /// <summary>Takes the rows away for good.</summary>
    internal void Remove(string persistenceId, long to)
    {
        MarkDeleted(persistenceId, to);
        foreach (var row in RowsOf(persistenceId).Where(row => row.SequenceNumber <= to))
            _rows.Remove(row.Ordering);
        RowsOf(persistenceId).RemoveAll(row => row.SequenceNumber <= to);
        if (ReusesOrderings)
            LastDrawn = Last?.Ordering ?? 0;
    }

    /// <summary>All rows of an id that are there, in order.</summary>
    internal List<ScriptedRow> RowsOf(string persistenceId)
    {
        if (!_byId.TryGetValue(persistenceId, out var rows))
            _byId[persistenceId] = rows = [];
        return rows;
    }

    internal List<ScriptedRow> Page(PageAsk ask) =>
        [.. RowsOf(ask.PersistenceId)
            .Where(row => row.SequenceNumber >= ask.Range.From && row.SequenceNumber <= ask.Range.To)
            .Take(ask.Limit)];

    internal List<JournalKey> Above(KeysQuery query) =>
        [.. _rows.Values
            .Where(row => row.Ordering > query.After || (query.Inclusive && row.Ordering == query.After))
            .Take(query.Limit).Select(Key)];

    internal List<JournalKey> Late(KeysQuery query) =>
        [.. _rows.Values
            .Where(row => query.Gaps.Any(gap => gap.First <= row.Ordering && row.Ordering <= gap.Last))
            .Take(query.Limit).Select(Key)];

    internal ScriptedRow? Row(long ordering) => _rows.GetValueOrDefault(ordering);

    private static JournalKey Key(ScriptedRow row) => new(row.Ordering, row.PersistenceId, row.SequenceNumber);

    private void End(ScriptedTransaction transaction)
    {
        Assert.True(_open.Remove(transaction));
        if (transaction.IsHolder)
            _ending.Add(transaction);
    }
}
