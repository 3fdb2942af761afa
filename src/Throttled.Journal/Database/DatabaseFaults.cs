namespace Throttled.Journal.Database;

/// <summary>What a failed statement says about the next one.</summary>
internal enum FaultKind
{
    /// <summary>The database cannot be reached, or the connection broke: nothing else will work either until it is back.</summary>
    ConnectionLost,

    /// <summary>The server has no connection left for us.</summary>
    TooManyConnections,

    /// <summary>This statement failed by chance (deadlock, lock time-out, busy); repeating it cures.</summary>
    Transient,

    /// <summary>The statement ran longer than it may.</summary>
    TimedOut,

    /// <summary>The journal table, or the tag table beside one that is empty, is not there (yet).</summary>
    MissingTable,

    /// <summary>Repeating cannot cure it, whoever asks: syntax, permission, no such database.</summary>
    Fatal,

    /// <summary>Repeating cannot cure it, and one row or one member of the statement is the cause.</summary>
    Unreadable,
}

/// <summary>A statement whose connection broke while it ran, so that the server may still be running it.</summary>
/// <param name="Backend">Names the server's process, unique over its restarts; null where it is not known, so that the server cannot be queried.</param>
/// <param name="AtMost">How long it may still run where the server cannot be queried.</param>
internal sealed record BrokenSession(string? Backend, TimeSpan AtMost);

/// <summary>The session's connection broke in the middle of a statement; what broke it is the inner exception.</summary>
internal sealed class SessionBrokenException(BrokenSession session, Exception inner)
    : Exception(inner.Message, inner)
{
    internal BrokenSession Session => session;
}

/// <summary>
/// Tags are to be read from a table that is not there, but there is no event either: a write plugin makes its tables one after the other
/// before it writes, and this one may be next.
/// </summary>
internal sealed class TagTablePendingException(string table, Exception inner) : Exception("the journal beside it is empty", inner)
{
    /// <summary>The table as the database spells it.</summary>
    internal string Table => table;
}

/// <summary>The journal of a shard is empty, and no mark is written beside it yet, which map it is for.</summary>
internal sealed class ShardMarkPendingException(string table, ShardIdentity identity)
    : Exception($"the journal table {table} is empty and has no mark of {identity}");

/// <summary>The events of a shard were written with another map than the one that is configured: some would not be found.</summary>
internal sealed class ShardMarkException(string message) : Exception(message)
{
    /// <summary>The same, naming where.</summary>
    internal ShardMarkException In(string where) => new($"{where}: {Message}");
}
