namespace Throttled.Journal.Database;

/// <summary>What the failure of a statement means for other statements.</summary>
internal enum FaultKind
{
    /// <summary>The database cannot be reached, or the connection broke. Other statements fail too until the database is available again.</summary>
    ConnectionLost,

    TooManyConnections,

    /// <summary>A temporary error of this statement (deadlock, lock time-out, busy). A retry can succeed.</summary>
    Transient,

    TimedOut,

    /// <summary>The journal table does not exist (yet), or the tag table of an empty journal.</summary>
    MissingTable,

    /// <summary>A permanent error for every query: syntax, permission, no such database.</summary>
    Fatal,

    /// <summary>A permanent error, caused by one row or one member of the statement.</summary>
    Unreadable,
}

/// <summary>A session whose connection broke while its statement ran. The server may still run the statement.</summary>
/// <param name="Backend">
/// The server's process, with a name that is unique across restarts of the server. Null if it is not known; then the server cannot be queried.
/// </param>
/// <param name="AtMost">How long the statement may still run if the server cannot be queried.</param>
internal sealed record BrokenSession(string? Backend, TimeSpan AtMost);

/// <summary>The session's connection broke during a statement. The inner exception is the cause.</summary>
internal sealed class SessionBrokenException(BrokenSession session, Exception inner) : Exception(inner.Message, inner)
{
    internal BrokenSession Session => session;
}

/// <summary>
/// The tag table does not exist, but the journal has no event either. A write plugin creates its tables one after the other before it writes; the tag
/// table may be next.
/// </summary>
internal sealed class TagTablePendingException(string table, Exception inner) : Exception("the journal beside it is empty", inner)
{
    /// <summary>The name as the database quotes it.</summary>
    internal string Table => table;
}

/// <summary>The journal of a shard is empty and has no mark yet that says which map it belongs to.</summary>
internal sealed class ShardMarkPendingException(string table, ShardIdentity identity)
    : Exception($"the journal table {table} is empty and has no mark of {identity}");

/// <summary>The events of a shard were written with a map that differs from the configured one. Queries would not find some of them.</summary>
internal sealed class ShardMarkException(string message) : Exception(message)
{
    /// <summary>The same error with a location before the message.</summary>
    internal ShardMarkException In(string where) => new($"{where}: {Message}");
}
