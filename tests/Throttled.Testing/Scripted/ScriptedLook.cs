using Throttled.Journal.Sql;

namespace Throttled.Testing.Scripted;

/// <summary>Runs a poll of the tail on the in-memory journal: each of its reads sees the journal as it is then.</summary>
internal sealed class ScriptedLook(ScriptedJournal journal, KeysQuery query, bool knowsHolders)
{
    private readonly List<ScriptedRow> _above = [];
    private readonly Dictionary<long, IReadOnlyList<string>> _tags = [];
    private List<JournalKey> _late = [];
    private IReadOnlySet<string>? _holders;
    private long? _lastGivenOut;
    private bool _isCut;

    internal void AddTo(ScriptedCall call)
    {
        call.Then(ReadAbove);
        call.Then(() => _late = journal.Late(query));
        call.Then(ReadLastGivenOut);
        if (query.WithTags)
            call.Then(ReadTags);
        if (query.WithHolders && knowsHolders)
            call.Then(() => _holders = journal.Holders);
    }

    internal KeysFound Found() => new([.. _above.Select(ScriptedJournal.Key)], _late, _holders)
    {
        IsCut = _isCut,
        LastGivenOut = _lastGivenOut,
        Tags = _tags,
    };

    private void ReadAbove()
    {
        foreach (var row in journal.From(query.From).Take(query.Limit))
        {
            _above.Add(row);
            if (row.Ordering > query.From && row.DeletedAt is null && query.Rows is { } rows && !Add(row, rows))
                _isCut = true;
            if (_isCut)
                return;
        }
        _isCut = _above.Count >= query.Limit;
    }

    private static bool Add(ScriptedRow row, RowsStatement rows) =>
        row.IsPoisoned ? throw new ScriptedFault(FaultKind.Unreadable) : rows.Add(row.ToEvent());

    private void ReadLastGivenOut()
    {
        if (_above.Count == 0 || _above[0].Ordering != query.From)
            _lastGivenOut = journal.IsStandby ? null : journal.LastDrawn;
    }

    private void ReadTags()
    {
        IEnumerable<long> above = query.Rows is null ? _above.Select(row => row.Ordering).Where(ordering => ordering > query.From) : [];
        foreach (var ordering in above.Concat(_late.Select(key => key.Ordering)))
        {
            if (journal.Row(ordering) is { Tags.Count: > 0 } row)
                _tags[ordering] = row.Tags;
        }
    }
}
