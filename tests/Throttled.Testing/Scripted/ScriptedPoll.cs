using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Testing.Scripted;

/// <summary>Runs a poll of the tail on the in-memory journal. Each of its reads sees the journal at its time.</summary>
internal sealed class ScriptedPoll(ScriptedJournal journal, KeysRequest request, bool knowsOpenTransactions, bool readsLateRows)
{
    private readonly List<ScriptedRow> _above = [];
    private readonly Dictionary<long, IReadOnlyList<string>> _tags = [];
    private List<JournalKey> _late = [];
    private IReadOnlySet<string>? _openTransactions;
    private long? _lastIssued;
    private bool _isTruncated;

    /// <summary>Whether the poll reads the open transactions. This is known after it has read the late keys.</summary>
    internal bool WantsOpenTransactions =>
        request.WithOpenTransactions && !(request.OnlyForGaps && _late.Count == request.Gaps.Sum(gap => gap.Last - gap.First + 1));

    internal void AddTo(ScriptedCall call)
    {
        call.Then(ReadAbove);
        call.Then(ReadLate);
        call.Then(ReadLastIssued);
        if (request.WithTags)
            call.Then(ReadTags);
        if (request.WithOpenTransactions && knowsOpenTransactions)
            call.Then(() => _openTransactions = WantsOpenTransactions ? journal.OpenTransactions : null);
    }

    internal KeysResult Found() => new([.. _above.Select(ScriptedJournal.Key)], _late, _openTransactions)
    {
        IsTruncated = _isTruncated,
        LastIssued = _lastIssued,
        Tags = _tags,
    };

    private void ReadAbove()
    {
        foreach (var row in journal.From(request.From).Take(request.Limit))
        {
            _above.Add(row);
            if (row.Ordering > request.From && row.DeletedAt is null && request.Rows is { } rows && !Add(row, rows))
                _isTruncated = true;
            if (_isTruncated)
                return;
        }
        _isTruncated = _above.Count >= request.Limit;
    }

    private void ReadLate()
    {
        _late = journal.Late(request);
        if (!readsLateRows || request.Rows is not { IsStopped: false } rows)
            return;
        foreach (var key in _late)
        {
            if (!rows.IsStopped && journal.Row(key.Ordering) is { DeletedAt: null } row)
                Add(row, rows);
        }
    }

    private static bool Add(ScriptedRow row, TailRows rows) =>
        row.IsPoisoned ? throw new ScriptedFault(FaultKind.Unreadable) : rows.Add(row.ToEvent());

    private void ReadLastIssued()
    {
        if (_above.Count == 0 || _above[0].Ordering != request.From)
            _lastIssued = journal.IsStandby ? null : journal.LastDrawn;
    }

    private void ReadTags()
    {
        IEnumerable<long> above = request.Rows is null ? _above.Select(row => row.Ordering).Where(ordering => ordering > request.From) : [];
        foreach (var ordering in above.Concat(_late.Select(key => key.Ordering)))
        {
            if (journal.Row(ordering) is { Tags.Count: > 0 } row)
                _tags[ordering] = row.Tags;
        }
    }
}
