using Throttled.Journal.SqlServer;
using static System.FormattableString;

namespace Throttled.Tool.Doctor;

/// <summary>Checks a SQL Server. It reads nothing itself.</summary>
/// <param name="facts">What the server says.</param>
/// <param name="planned">The planned readers; null if the options do not say.</param>
internal sealed class SqlServerFindings(SqlServerState facts, PlannedReaders? planned)
{
    // The poll of a reader.
    private const int BesidePermits = 1;

    // Its rules of quoting need no server.
    private readonly SqlServerDialect _dialect = new();

    /// <param name="hasJournal">Whether there is a journal table, so that the right to read it says something.</param>
    internal IEnumerable<Finding> All(bool hasJournal)
    {
        yield return Finding.Good("server", $"{facts.Version}, database '{facts.Database}', login '{facts.Login}'");
        if (hasJournal)
            yield return Rights();
        if (!facts.SeesState)
            yield return Finding.Warning("rights", "The login does not see the locks of others, so queries skip a missing ordering after GapTimeout, although it may still be committed", $"GRANT VIEW SERVER STATE TO {_dialect.Quote(facts.Login)}; or the right of your version: docs/sql/reader-sqlserver.sql");
        yield return facts.HasRowVersions
            ? Finding.Good("row versions", "readers do not wait for writers")
            : Finding.Bad("row versions", "Row versions are off: each reader waits at rows that are not committed yet", $"ALTER DATABASE {_dialect.Quote(facts.Database)} SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE;");
        yield return Connections();
        yield return ServerFindings.Clock(facts.ClockSkew);
        yield return facts.SeesState
            ? ServerFindings.Transactions(facts.Oldest, "End it (KILL), or let its application commit: docs/operating/runbook.md")
            : Finding.Warning("transactions", "The login does not see them", "Grant the right above");
        if (facts.Size is { } size)
            yield return Finding.Good("size", size.Text);
    }

    private Finding Rights() =>
        facts.Refused.Count > 0 ? Finding.Bad("rights", $"The login '{facts.Login}' may not read {string.Join(" and ", facts.Refused)}", string.Join(' ', facts.Refused.Select(table => $"GRANT SELECT ON {table} TO {_dialect.Quote(facts.Login)};")))
        : facts.IsAdministrator ? Finding.Warning("rights", $"The login '{facts.Login}' is an administrator of the server, and a reader needs only SELECT", "Run docs/sql/reader-sqlserver.sql, and use that login")
        : Finding.Good("rights", "the login may read the tables");

    private Finding Connections()
    {
        var found = Invariant($"the server allows {facts.Usable:N0}");
        if (planned is null)
            return Finding.Good("connections", $"{found}; give --processes and --permits to compare");
        var needed = planned.Processes * (planned.Permits + BesidePermits);
        var plan = Invariant($"{planned.Processes} processes with {planned.Permits} permits open up to {needed:N0}");
        return needed <= facts.Usable
            ? Finding.Good("connections", $"{found}; {plan}")
            : Finding.Bad("connections", $"{found}; {plan}", "Set MaxConcurrentQueries (max-concurrent-queries) lower, or run fewer processes: docs/operating/sizing.md");
    }
}
