using Throttled.Journal.Database;

namespace Throttled.Testing.Scripted;

/// <summary>A server that connections lead to.</summary>
internal sealed class ScriptedServer(string name, ScriptedJournal journal)
{
    private int _starts = 1;

    /// <summary>The name of the server's current run.</summary>
    internal string Name => $"{name}, start {_starts}";

    internal ScriptedJournal Journal => journal;

    internal void Restart() => _starts++;
}

/// <summary>
/// A primary and a standby behind one address, which leads to one of them at a time. Open connections stay with their server.
/// Calls on another server than the accepted one are refused, as databases refuse them that know their server.
/// </summary>
internal sealed class ScriptedServers(ScriptedJournal primary, Random random)
{
    private bool _isDoubted;

    internal ScriptedServer Primary { get; } = new("primary", primary);

    internal ScriptedServer Standby { get; } = new("standby", new ScriptedReplay(primary).Journal);

    /// <summary>The changes that the standby has not replayed yet.</summary>
    internal ScriptedReplay Replay => Primary.Journal.Replay!;

    /// <summary>The server to which new connections lead; null for the primary.</summary>
    internal ScriptedServer? LeadsTo { get; set; }

    /// <summary>The server on which calls run; null if none was accepted, or if it was restarted.</summary>
    internal ScriptedServer? Accepted => Primary.Name == AcceptedName ? Primary : Standby.Name == AcceptedName ? Standby : null;

    internal string? AcceptedName { get; private set; }

    internal void Accept(string? name)
    {
        _isDoubted &= name != (LeadsTo ?? Primary).Name;
        AcceptedName = name;
    }

    /// <summary>The number of refused calls.</summary>
    internal int Refused { get; private set; }

    /// <returns>The server of a call on an open connection; null if the call needs a new connection.</returns>
    internal ScriptedServer? Idle(bool isProbe) => (isProbe && _isDoubted) || random.Next(2) == 0 ? null : Accepted;

    /// <returns>The server of a call on a new connection.</returns>
    internal ScriptedServer Open(bool isProbe)
    {
        var server = LeadsTo ?? Primary;
        _isDoubted = AcceptedName is not null && server.Name != AcceptedName;
        if (!_isDoubted || isProbe)
            return server;
        Refused++;
        throw new ScriptedFault(FaultKind.ConnectionLost, $"scripted: the connection leads to {server.Name}");
    }
}

/// <summary>A standby's journal, and the primary's changes that it has not replayed yet.</summary>
internal sealed class ScriptedReplay
{
    private readonly Queue<Action> _log = [];
    private readonly Dictionary<ScriptedTransaction, ScriptedTransaction> _open = [];

    internal ScriptedReplay(ScriptedJournal primary) => primary.Replay = this;

    internal ScriptedJournal Journal { get; } = new() { IsStandby = true };

    /// <summary>The number of changes that it is behind.</summary>
    internal int Count => _log.Count;

    /// <summary>Replays the oldest changes.</summary>
    internal void Step(int changes)
    {
        while (changes-- > 0 && _log.TryDequeue(out var change))
            change();
    }

    internal void Add(ScriptedTransaction transaction, ScriptedRow row) => _log.Enqueue(() =>
    {
        if (!_open.TryGetValue(transaction, out var open))
            _open[transaction] = open = Journal.Begin();
        var copy = open.Add(row.PersistenceId, row.SequenceNumber, row.Payload, [.. row.Tags]);
        Assert.Equal(row.Ordering, copy.Ordering);
        (copy.IsPoisoned, copy.LeftOut) = (row.IsPoisoned, row.LeftOut);
    });

    internal void Commit(ScriptedTransaction transaction) => _log.Enqueue(() => End(transaction, open => open.Commit()));

    internal void RollBack(ScriptedTransaction transaction) => _log.Enqueue(() => End(transaction, open => open.RollBack()));

    internal void MarkDeleted(string persistenceId, long to) => _log.Enqueue(() => Journal.MarkDeleted(persistenceId, to));

    internal void Remove(string persistenceId, long to) => _log.Enqueue(() => Journal.Remove(persistenceId, to));

    private void End(ScriptedTransaction transaction, Action<ScriptedTransaction> end)
    {
        if (!_open.Remove(transaction, out var open))
            return;
        end(open);
        Journal.LetGo(open);
    }
}
