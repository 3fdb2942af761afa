using Throttled.Journal.Sql;

namespace Throttled.Testing.Scripted;

/// <summary>Runs a page statement on the in-memory journal.</summary>
/// <param name="journal">The journal.</param>
/// <param name="statement">What it reads.</param>
/// <param name="wentOn">Told of each row behind which the statement wants more.</param>
internal sealed class ScriptedPages(ScriptedJournal journal, PageStatement statement, Action? wentOn)
{
    /// <param name="call">The call that runs it.</param>
    /// <param name="eachAlone">Whether each member sees the journal as it is when its turn comes.</param>
    internal void AddTo(ScriptedCall call, bool eachAlone)
    {
        if (eachAlone)
        {
            for (var i = 0; i < statement.Asks.Count; i++)
                AddMember(call, i);
        }
        else
            AddAll(call);
    }

    private void AddMember(ScriptedCall call, int member) =>
        call.Then(() => Read(member, journal.Page(statement.Asks[member])));

    private void AddAll(ScriptedCall call)
    {
        List<List<ScriptedRow>> pages = [];
        call.Then(() => pages = [.. statement.Asks.Select(journal.Page)]);
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
            if (statement.IsStopped || !Add(member, row))
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
            ? statement.Add(member, row.ToEvent())
            : statement.AddDeleted(member, row.SequenceNumber);
    }
}

/// <summary>Runs a read of rows by ordering on the in-memory journal.</summary>
internal sealed class ScriptedRows(ScriptedJournal journal, RowsStatement statement)
{
    internal void Read()
    {
        foreach (var ordering in statement.Orderings)
        {
            if (journal.Row(ordering) is not { DeletedAt: null } row)
                continue;
            if (row.IsPoisoned)
                throw new ScriptedFault(FaultKind.Unreadable);
            if (!statement.Add(row.ToEvent()))
                return;
        }
    }
}
