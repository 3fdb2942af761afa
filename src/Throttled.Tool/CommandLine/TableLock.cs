using Npgsql;

namespace Throttled.Tool.CommandLine;

/// <summary>A transaction that is open.</summary>
internal sealed record OpenTransaction(TimeSpan Age, string User, string Application, string State, string Statement);

/// <summary>A session of PostgreSQL that has locked a whole table, or waits to do so. Either way, statements that read the table wait for it.</summary>
/// <param name="Pid">The process id of the session.</param>
/// <param name="Table">The table, quoted.</param>
/// <param name="IsGranted">Whether it has the lock.</param>
/// <param name="Open">Its transaction. If the login does not see it, the age is 0, and state and statement are empty.</param>
internal sealed record TableLock(int Pid, string Table, bool IsGranted, OpenTransaction Open)
{
    // Only this mode conflicts with the lock of a SELECT: https://www.postgresql.org/docs/current/explicit-locking.html
    private const string Sql =
        """
        SELECT l.pid, l.granted, coalesce(extract(epoch FROM clock_timestamp() - a.xact_start), 0)::float8, coalesce(a.usename::text, ''),
            coalesce(a.application_name, ''), coalesce(a.state, ''), CASE WHEN a.state IS NULL THEN '' ELSE left(regexp_replace(coalesce(a.query, ''), '\s+', ' ', 'g'), 100) END
        FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock' AND l.relation = to_regclass($1)::oid AND a.datname = current_database()
            AND a.backend_type IS DISTINCT FROM 'autovacuum worker'
        ORDER BY l.granted DESC, a.xact_start LIMIT 1
        """;

    /// <summary>What the session does, without a period at the end.</summary>
    internal string Text =>
        $"Session {Pid} (user '{Open.User}', application '{Open.Application}') {(IsGranted ? "has locked" : "waits to lock")} {Table}. Queries that read it wait"
        + (Open.State.Length == 0 ? "" : FormattableString.Invariant($"; its transaction has been open for {Open.Age.TotalSeconds:N0} s, {Open.State}: {Open.Statement}"));

    internal string Remedy => FormattableString.Invariant($"If it may be rolled back: SELECT pg_terminate_backend({Pid});");

    /// <param name="connection">An open connection to the database of the table.</param>
    /// <param name="table">The table, quoted.</param>
    /// <param name="cancellation">Ends the search.</param>
    /// <returns>Null if no session keeps readers from the table.</returns>
    internal static async Task<TableLock?> FindAsync(NpgsqlConnection connection, string table, CancellationToken cancellation)
    {
        await using var command = new NpgsqlCommand(Sql, connection) { Parameters = { new() { Value = table } } };
        await using var row = await command.ExecuteReaderAsync(cancellation);
        return await row.ReadAsync(cancellation)
            ? new(row.GetInt32(0), table, row.GetBoolean(1), new(TimeSpan.FromSeconds(row.GetDouble(2)), row.GetString(3), row.GetString(4), row.GetString(5), row.GetString(6)))
            : null;
    }
}
