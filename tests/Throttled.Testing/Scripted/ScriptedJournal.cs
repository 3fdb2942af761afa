using Throttled.Journal.Rows;

namespace Throttled.Testing.Scripted;

/// <summary>A journal table in memory, with transactions that draw their orderings before they commit.</summary>
internal sealed class ScriptedJournal
{
    private readonly SortedDictionary<long, ScriptedRow> _rows = [];
    private readonly Dictionary<string, List<ScriptedRow>> _byId = new(StringComparer.Ordinal);
    private readonly List<ScriptedTransaction> _open = [];
    private readonly List<ScriptedTransaction> _ending = [];
    private readonly HashSet<long> _orphans = [];
    private int _names;

    /// <summary>Whether the orderings of removed newest rows are issued again.</summary>
    internal bool ReusesOrderings { get; init; }

    /// <summary>Whether the server is a standby, which does not show the orderings that it issued.</summary>
    internal bool IsStandby { get; set; }

    /// <summary>The standby that replays the changes; null for none.</summary>
    internal ScriptedReplay? Replay { get; set; }

    /// <summary>Counts changes, so that a test can find what existed at a time.</summary>
    internal int Changes { get; private set; }

    internal long LastDrawn { get; private set; }

    /// <summary>How often orderings were set back to be issued again.</summary>
    internal int Reuses { get; private set; }

    internal IReadOnlyList<ScriptedTransaction> Open => _open;

    /// <summary>Transactions that have ended but still show as open.</summary>
    internal IReadOnlyList<ScriptedTransaction> Ending => _ending;

    /// <summary>The lowest ordering above a given one that may still be committed; null for none.</summary>
    internal long? LowestOpen(long above = 0) =>
        _open.SelectMany(open => open.Rows).Where(row => row.Ordering > above).Min(row => (long?)row.Ordering);

    internal IReadOnlySet<string> OpenTransactions =>
        _open.Where(open => open.ShowsAsOpen).Concat(_ending).Select(open => open.Name).ToHashSet(StringComparer.Ordinal);

    internal JournalKey? Last => _rows.Count == 0 ? null : Key(_rows.Last().Value);

    internal ScriptedTransaction Begin(string? name = null)
    {
        var transaction = new ScriptedTransaction(this, name ?? $"{++_names}/1");
        _open.Add(transaction);
        return transaction;
    }

    /// <summary>Appends events in one transaction.</summary>
    internal void Append(string persistenceId, long from, long to, int payload = 10, params string[] tags)
    {
        var transaction = Begin();
        for (var sequenceNumber = from; sequenceNumber <= to; sequenceNumber++)
            transaction.Add(persistenceId, sequenceNumber, payload, tags);
        transaction.Commit();
        LetGo(transaction);
    }

    internal long Draw() => ++LastDrawn;

    internal void Commit(ScriptedTransaction transaction)
    {
        Changes++;
        Replay?.Commit(transaction);
        foreach (var row in transaction.Rows)
        {
            _rows.Add(row.Ordering, row);
            RowsOf(row.PersistenceId).Add(row);
        }
        End(transaction);
    }

    /// <summary>Prepares the transaction: it goes on under another name, with its session's locks.</summary>
    internal void Prepare(ScriptedTransaction transaction) => transaction.Name = $"-1/{++_names}";

    /// <summary>Another server takes over. Open transactions have other names there.</summary>
    internal void FailOver()
    {
        foreach (var transaction in _open.Concat(_ending).Where(transaction => !transaction.Name.StartsWith("-1/", StringComparison.Ordinal)))
            transaction.Name = $"{++_names}/1";
    }

    /// <summary>Skips an ordering, which will never be committed.</summary>
    internal void Skip()
    {
        var transaction = Begin();
        transaction.Add("never", 1);
        transaction.RollBack();
        LetGo(transaction);
    }

    internal void RollBack(ScriptedTransaction transaction)
    {
        Replay?.RollBack(transaction);
        End(transaction);
        ReissueOrderings();
    }

    /// <summary>The number of rewinds.</summary>
    internal int Rewinds { get; private set; }

    /// <summary>Whether no reader has noticed the last rewind yet. The test sets it.</summary>
    internal bool IsRewindUnnoticed { get; set; }

    /// <summary>Removes the newest rows. Their orderings are drawn again, as after a failover that lost the last commits.</summary>
    internal void Rewind(long to)
    {
        Lose(to);
        LastDrawn = to;
    }

    /// <summary>Removes the newest rows. Their orderings are not drawn again.</summary>
    internal void Lose(long above)
    {
        Changes++;
        foreach (var row in _rows.Values.Where(row => row.Ordering > above).ToList())
        {
            _rows.Remove(row.Ordering);
            RowsOf(row.PersistenceId).Remove(row);
        }
        _orphans.RemoveWhere(ordering => ordering > above);
        Rewinds++;
    }

    /// <summary>Releases the transaction's locks.</summary>
    internal void LetGo(ScriptedTransaction transaction) => _ending.Remove(transaction);

    internal void MarkDeleted(string persistenceId, long to)
    {
        Changes++;
        Replay?.MarkDeleted(persistenceId, to);
        foreach (var row in RowsOf(persistenceId).Where(row => row.SequenceNumber <= to))
            row.DeletedAt ??= Changes;
    }

    /// <summary>Removes the rows.</summary>
    internal void Remove(string persistenceId, long to)
    {
        MarkDeleted(persistenceId, to);
        Replay?.Remove(persistenceId, to);
        foreach (var row in RowsOf(persistenceId).Where(row => row.SequenceNumber <= to))
        {
            _rows.Remove(row.Ordering);
            if (row.Tags.Count > 0)
                _orphans.Add(row.Ordering);
        }
        RowsOf(persistenceId).RemoveAll(row => row.SequenceNumber <= to);
        ReissueOrderings();
    }

    /// <summary>All rows of an id, in order.</summary>
    internal List<ScriptedRow> RowsOf(string persistenceId)
    {
        if (!_byId.TryGetValue(persistenceId, out var rows))
            _byId[persistenceId] = rows = [];
        return rows;
    }

    internal List<ScriptedRow> Page(ByIdRequest request) =>
        [.. RowsOf(request.PersistenceId)
            .Where(row => row.SequenceNumber >= request.Range.From && row.SequenceNumber <= request.Range.To)
            .Take(request.Limit)];

    internal List<ScriptedRow> From(long ordering) => [.. _rows.Values.Where(row => row.Ordering >= ordering)];

    internal List<ScriptedRow> Between(long after, long through) =>
        [.. _rows.Values.Where(row => row.Ordering > after && row.Ordering <= through)];

    /// <summary>The orderings of removed rows that still have tags.</summary>
    internal IEnumerable<long> Orphans(long after, long through) =>
        _orphans.Where(ordering => ordering > after && ordering <= through && !_rows.ContainsKey(ordering));

    /// <summary>The ids after a given one, each with whether it has an event that is not deleted.</summary>
    internal List<(string Id, bool HasEvents)> IdsAfter(string? after, int limit) =>
        [.. _byId.Where(each => each.Value.Count > 0 && string.CompareOrdinal(each.Key, after) > 0)
            .OrderBy(each => each.Key, StringComparer.Ordinal).Take(limit)
            .Select(each => (each.Key, each.Value.Exists(row => row.DeletedAt is null)))];

    internal List<JournalKey> Late(KeysRequest request) =>
        [.. _rows.Values
            .Where(row => request.Gaps.Any(gap => gap.First <= row.Ordering && row.Ordering <= gap.Last))
            .Take(request.Limit).Select(Key)];

    internal ScriptedRow? Row(long ordering) => _rows.GetValueOrDefault(ordering);

    internal static JournalKey Key(ScriptedRow row) => new(row.Ordering, row.PersistenceId, row.SequenceNumber);

    private void ReissueOrderings()
    {
        if (!ReusesOrderings || LastDrawn == (Last?.Ordering ?? 0))
            return;
        LastDrawn = Last?.Ordering ?? 0;
        Reuses++;
    }

    private void End(ScriptedTransaction transaction)
    {
        Assert.True(_open.Remove(transaction));
        if (transaction.ShowsAsOpen)
            _ending.Add(transaction);
    }
}
