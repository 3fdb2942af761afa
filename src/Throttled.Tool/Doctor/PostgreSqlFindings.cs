using Throttled.Journal.PostgreSql;
using static System.FormattableString;

namespace Throttled.Tool.Doctor;

/// <summary>The number of processes and their permits, as the options give them.</summary>
internal sealed record PlannedReaders(int Processes, int Permits);

/// <summary>Checks a PostgreSQL server. It reads nothing itself.</summary>
/// <param name="facts">What the server says.</param>
/// <param name="port">The port of the connection string.</param>
/// <param name="planned">The planned readers; null if the options are not given.</param>
internal sealed class PostgreSqlFindings(PostgreSqlFacts facts, int port, PlannedReaders? planned)
{
    // The poll and the listener of a reader.
    private const int BesidePermits = 2;
    private const int ForOperators = 5;

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
            yield return Locked(held);
        if (facts.Size is { } size)
            yield return Finding.Good("size", size.Text);
    }

    private static Finding Locked(TableLock held) => Finding.Bad(
        "lock",
        $"Session {held.Pid} (user '{held.Open.User}', application '{held.Open.Application}') {(held.IsGranted ? "has locked" : "waits to lock")} {held.Table}. Queries that read it wait"
            + (held.Open.State.Length == 0 ? "" : Invariant($"; its transaction has been open for {held.Open.Age.TotalSeconds:N0} s, {held.Open.State}: {held.Open.Statement}")),
        Invariant($"If it may be rolled back: SELECT pg_terminate_backend({held.Pid}); then run the doctor again, because the other checks of the table would wait too"));

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
        var most = facts.Limit >= 0 ? Math.Min(facts.Limit, facts.Usable) : facts.Usable;
        var found = Invariant($"{most} connections for this login; open on the server now: {facts.Used}");
        if (planned is null)
            return Finding.Good("connections", $"{found}; give --processes and --permits to compare");
        var needed = planned.Processes * (planned.Permits + BesidePermits);
        var plan = Invariant($"{planned.Processes} processes with {planned.Permits} permits open up to {needed}");
        if (needed + ForOperators <= most)
            return Finding.Good("connections", $"{found}; {plan}");
        var fits = ((most - ForOperators) / planned.Processes) - BesidePermits;
        return Finding.Bad("connections", $"{found}; {plan}, but {ForOperators} must stay free for operators", fits >= 1
            ? Invariant($"Set MaxConcurrentQueries (max-concurrent-queries) to at most {fits}, and less if writers use this login: docs/operating/sizing.md")
            : $"Run fewer processes, or raise {(most < facts.Usable ? "the CONNECTION LIMIT of the login or of the database" : "max_connections")}: docs/operating/sizing.md");
    }
}
