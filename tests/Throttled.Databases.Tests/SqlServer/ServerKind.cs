namespace Throttled.Journal.SqlServer.Tests;

/// <summary>The databases and the readers' user that a test needs.</summary>
internal sealed record ServerKind
{
    /// <summary>The collation of the databases; null for the default of the server.</summary>
    internal string? Collation { get; init; }

    /// <summary>Whether read committed returns the last committed version (READ_COMMITTED_SNAPSHOT) instead of waiting for writers.</summary>
    internal bool ReadsSnapshots { get; init; }

    /// <summary>Whether the user has the right to see locks, which is optional for a reader.</summary>
    internal bool ShowsLocks { get; init; } = true;

    /// <summary>
    /// Whether the user must see the last identity of a table. Babelfish shows it only to users of the sequence behind it, and has no GRANT
    /// for that. Readers are the administrator there.
    /// </summary>
    internal bool ShowsIdentities { get; init; }

    /// <summary>
    /// Whether the test's transactions commit late. If locks are not visible, commits later than 'GapTimeout' are lost, and each first poll
    /// takes that long. Other tests set the shortest timeout.
    /// </summary>
    internal bool HasLateCommits { get; init; }
}
