namespace Throttled.Testing.Scripted;

/// <summary>An open transaction of a writer. It holds the sequence from its first number to its end and a little longer.</summary>
internal sealed class ScriptedTransaction(ScriptedJournal journal, string name)
{
    private readonly List<ScriptedRow> _rows = [];

    /// <summary>What others see it by; another one once it is prepared.</summary>
    internal string Name { get; set; } = name;

    internal IReadOnlyList<ScriptedRow> Rows => _rows;

    /// <summary>Whether others do not see it hold what it has drawn.</summary>
    internal bool IsUnseen { get; set; }

    internal bool IsHolder => _rows.Count > 0 && !IsUnseen;

    internal ScriptedRow Add(string persistenceId, long sequenceNumber, int payload = 10, params string[] tags)
    {
        var row = new ScriptedRow(journal.Draw(), persistenceId, sequenceNumber, payload) { Tags = tags };
        _rows.Add(row);
        journal.Replay?.Add(this, row);
        return row;
    }

    /// <summary>Makes its rows visible. Others see it hold the sequence until <see cref="ScriptedJournal.LetGo"/>.</summary>
    internal void Commit() => journal.Commit(this);

    internal void RollBack() => journal.RollBack(this);
}
