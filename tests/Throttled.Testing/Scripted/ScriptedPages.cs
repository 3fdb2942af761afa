using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Testing.Scripted;

/// <summary>Runs a page statement on the in-memory journal.</summary>
/// <param name="wentOn">Called for each row after which the statement can read more.</param>
internal sealed class ScriptedPages(ScriptedJournal journal, ByIdRows into, Action? wentOn)
{
    /// <param name="eachAlone">Whether each member sees the journal at the time of its own read.</param>
    internal void AddTo(ScriptedCall call, bool eachAlone)
    {
        if (eachAlone)
        {
            for (var i = 0; i < into.Requests.Count; i++)
                AddMember(call, i);
        }
        else
            AddAll(call);
    }

    private void AddMember(ScriptedCall call, int member) =>
        call.Then(() => Read(member, journal.Page(into.Requests[member])));

    private void AddAll(ScriptedCall call)
    {
        List<List<ScriptedRow>> pages = [];
        call.Then(() => pages = [.. into.Requests.Select(journal.Page)]);
        call.Then(() =>
        {
            for (var i = 0; i < pages.Count; i++)
                Read(i, pages[i]);
        });
    }

    private void Read(int member, List<ScriptedRow> rows)
    {
        foreach (var row in rows)
        {
            if (into.IsStopped || !Add(member, row))
                return;
            if (row.DeletedAt is null)
                wentOn?.Invoke();
        }
    }

    private bool Add(int member, ScriptedRow row)
    {
        if (row.IsPoisoned)
            throw new ScriptedFault(FaultKind.Unreadable);
        return row.DeletedAt is null
            ? into.Add(member, row.ToEvent())
            : into.AddDeleted(member, row.SequenceNumber);
    }
}

/// <summary>Runs a read of rows by ordering on the in-memory journal.</summary>
internal sealed class ScriptedRows(ScriptedJournal journal, TailRows wanted)
{
    internal void Read()
    {
        foreach (var ordering in wanted.Orderings)
        {
            if (journal.Row(ordering) is not { DeletedAt: null } row)
                continue;
            if (row.IsPoisoned)
                throw new ScriptedFault(FaultKind.Unreadable);
            if (!wanted.Add(row.ToEvent()))
                return;
        }
    }
}
