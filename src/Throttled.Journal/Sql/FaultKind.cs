namespace Throttled.Journal.Sql;

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
