namespace Throttled.Journal.SqlServer.Tests;

/// <summary>What a test wants of its databases and of the readers' user.</summary>
internal sealed record ServerKind
{
    /// <summary>The databases' collation; the server's own where null.</summary>
    internal string? Collation { get; init; }

    /// <summary>Whether read committed shows what was committed last (READ_COMMITTED_SNAPSHOT) instead of waiting for writers.</summary>
    internal bool ReadsSnapshots { get; init; }

    /// <summary>Whether the user has the right to see locks, which a reader can do without.</summary>
    internal bool ShowsLocks { get; init; } = true;

    /// <summary>
    /// Whether the user has to see the last identity of a table. Babelfish tells it only whom it lets use the sequence behind it, to which no GRANT
    /// of its language helps: there readers are the administrator then.
    /// </summary>
    internal bool ShowsIdentities { get; init; }

    /// <summary>
    /// Whether the test's transactions commit late. Where locks are not told, what comes later than 'GapTimeout' is lost, and each first look takes
    /// as long: other tests wait the least that can be set.
    /// </summary>
    internal bool HasLateCommits { get; init; }
}
