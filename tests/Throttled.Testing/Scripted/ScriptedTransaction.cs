namespace Throttled.Testing.Scripted;

/// <summary>An open transaction of a writer. It shows as open from its first ordering until some time after its end.</summary>
internal sealed class ScriptedTransaction(ScriptedJournal journal, string name)
{
    private readonly List<ScriptedRow> _rows = [];

    /// <summary>The name that others see; preparing the transaction changes it.</summary>
    internal string Name { get; set; } = name;

    internal IReadOnlyList<ScriptedRow> Rows => _rows;

    /// <summary>Whether the transaction does not show as open although it has drawn orderings.</summary>
    internal bool IsUnseen { get; set; }

    internal bool ShowsAsOpen => _rows.Count > 0 && !IsUnseen;

    internal ScriptedRow Add(string persistenceId, long sequenceNumber, int payload = 10, params string[] tags)
    {
        var row = new ScriptedRow(journal.Draw(), persistenceId, sequenceNumber, payload) { Tags = tags };
        _rows.Add(row);
        journal.Replay?.Add(this, row);
        return row;
    }

    /// <summary>Makes its rows visible. The transaction still shows as open until <see cref="ScriptedJournal.LetGo"/>.</summary>
    internal void Commit() => journal.Commit(this);

    internal void RollBack() => journal.RollBack(this);
}
