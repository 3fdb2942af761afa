using Throttled.Journal.PostgreSql;
using static System.FormattableString;

namespace Throttled.Tool.Doctor;

/// <summary>Checks a PostgreSQL server. It reads nothing itself.</summary>
/// <param name="facts">What the server says.</param>
/// <param name="port">The port of the connection string.</param>
/// <param name="planned">The planned readers; null if the options are not given.</param>
internal sealed class PostgreSqlFindings(PostgreSqlFacts facts, int port, PlannedReaders? planned)
{
    // The dialect quotes names without a server.
    private readonly string _login = new PostgreSqlDialect().Quote(facts.User);

    /// <param name="hasJournal">Whether there is a journal table. Without one, the rights on it are not checked.</param>
    internal IEnumerable<Finding> All(bool hasJournal)
    {
        yield return Finding.Good("server", $"{facts.Version}, database '{facts.Database}', login '{facts.User}'");
        yield return Pooler();
        if (facts.HiddenSchema is { } schema)
            yield return Finding.Bad("rights", $"The login '{facts.User}' may not use the schema {schema}, so it sees no table there", $"GRANT USAGE ON SCHEMA {schema} TO {_login};");
        else if (hasJournal)
            yield return Rights();
        if (!facts.SeesStatements)
            yield return Finding.Warning("rights", "The login does not see the statements of others, nor how long their transactions are open, so the log cannot name the statement that stalls the high-water mark", $"GRANT pg_read_all_stats TO {_login};");
        yield return Connections();
        yield return ServerFindings.Clock(facts.ClockSkew);
        // PostgreSQL hides the transactions of others, so a good line would say nothing.
        if (facts.SeesStatements || ServerFindings.IsLong(facts.Oldest))
            yield return ServerFindings.Transactions(facts.Oldest, "End it, or set idle_in_transaction_session_timeout for its role: docs/operating/runbook.md");
        if (facts.Lock is { } held)
            yield return Finding.Bad("lock", held.Text, $"{held.Remedy} then run the doctor again, because the other checks of the table would wait too");
        if (facts.Size is { } size)
            yield return Finding.Good("size", size.Text);
    }

    private Finding Pooler() => facts switch
    {
        { ChangesBackend: true } => Finding.Warning("pooler", "Two statements ran on two connections of the server: there is a pooler in transaction or statement mode", "Set PrepareStatements (prepare-statements) to false: docs/operating/poolers-and-failover.md"),
        { Port: { } listens } when listens != port => Finding.Warning("pooler", Invariant($"The server listens on port {listens}, and the connection goes to port {port}: there is a pooler, a proxy or a port mapping"), "If it is a pooler in transaction mode, set PrepareStatements (prepare-statements) to false: docs/operating/poolers-and-failover.md"),
        _ => Finding.Good("pooler", "none was found"),
    };

    private Finding Rights() =>
        facts.Refused.Count > 0 ? Finding.Bad("rights", $"The login '{facts.User}' may not read {string.Join(" and ", facts.Refused)}", string.Join(' ', facts.Refused.Select(table => $"GRANT SELECT ON {table} TO {_login};")))
        : facts.IsSuperuser ? Finding.Warning("rights", $"The login '{facts.User}' is a superuser, and a reader needs only SELECT", "Run docs/sql/reader-postgresql.sql, and use its login")
        : Finding.Good("rights", "the login may read the tables");

    private Finding Connections()
    {
        var (limits, smallest) = (facts.Limits, facts.Limits.Smallest);
        var found = Invariant($"{smallest.Most} connections for this login ({smallest.Name}); open on the server now: {facts.Used}");
        if (planned is null)
            return Finding.Good("connections", $"{found}; give --processes and --permits to compare");
        var plan = Invariant($"{planned.Processes} processes with {planned.Permits} permits open up to {ConnectionLimits.Needed(planned)}");
        return limits.Permits(planned.Processes) >= planned.Permits
            ? Finding.Good("connections", $"{found}; {plan}")
            : Finding.Bad("connections", $"{found}; {plan}{(smallest.Kept > 0 ? Invariant($", but {smallest.Kept} must stay free for operators") : "")}", limits.Remedy(planned));
    }
}
