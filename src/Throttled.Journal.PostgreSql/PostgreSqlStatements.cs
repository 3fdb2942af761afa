using Throttled.Journal.Sql;

namespace Throttled.Journal.PostgreSql;

/// <summary>The texts of the statements that the reader runs.</summary>
internal sealed class PostgreSqlStatements
{
    // A backend's start tells it from a later one with the same process id. As a number: the text of a time depends on
    // the session's time zone.
    private const string Backend = "pid || '/' || (extract(epoch FROM backend_start) * 1000000)::bigint";

    // A subscription's workers bring the numbers of another server and draw none. pg_subscription_rel may be read by everyone
    // (https://www.postgresql.org/docs/current/catalog-pg-subscription-rel.html), and is empty on most servers.
    private const string IsSubscribed =
        "EXISTS (SELECT FROM pg_subscription_rel r WHERE r.srrelid = to_regclass($1) "
        + "OR r.srrelid IN (SELECT p.relid FROM pg_partition_tree(to_regclass($1)) p))";

    internal PostgreSqlStatements(JournalTables tables)
    {
        var common = new JournalStatements(new PostgreSqlDialect(), tables);
        JournalTable = common.Journal;
        Pages =
            "SELECT r.member, e.* FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[]) "
            + "WITH ORDINALITY AS r (id, f, t, n, member) "
            + $"CROSS JOIN LATERAL ({common.Page("r.id", "r.f", "r.t", "r.n")}) e LIMIT $5";
        LastKey = common.LastKey;
        KeysAbove = common.KeysAbove(inclusive: false);
        KeysFrom = common.KeysAbove(inclusive: true);
        KeysInGaps =
            "SELECT e.* FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t) CROSS JOIN LATERAL ("
            + $"SELECT {common.KeyColumns} FROM {common.Journal} WHERE {common.Ordering} >= r.f AND {common.Ordering} <= r.t "
            + $"ORDER BY {common.Ordering} LIMIT $3) e ORDER BY 1 LIMIT $3";
        Rows = EachOrdering("e.*", common.RowColumns, common.Journal, common.Ordering);
        Tags = EachOrdering("r.i, e.*", common.Tag, common.TagTable, common.TagOrdering);
        FirstTagged = common.FirstTagged;
        Probe =
            "SELECT current_setting('max_connections')::int, pg_is_in_recovery(), s.name IS NOT NULL, "
            + "(SELECT seqcache FROM pg_sequence WHERE seqrelid = to_regclass(s.name)), "
            + $"{IsSubscribed}, "
            + $"EXISTS (SELECT {common.RowColumns} FROM {common.Journal} WHERE false) "
            + "FROM (SELECT pg_get_serial_sequence($1, $2)) AS s (name)";
    }

    /// <summary>The journal table as <c>pg_get_serial_sequence</c> parses it: schema and name, quoted.</summary>
    internal string JournalTable { get; }

    /// <summary>
    /// The pages of several members. Nothing but a nested loop can run it, which keeps the members in order; the engine
    /// checks that it did. Parameters: ids, first and last sequence numbers, limits; then how many rows in all.
    /// </summary>
    internal string Pages { get; }

    internal string LastKey { get; }

    /// <summary>Parameters: position, how many.</summary>
    internal string KeysAbove { get; }

    /// <summary>Parameters: position, how many.</summary>
    internal string KeysFrom { get; }

    /// <summary>Parameters: first orderings, last orderings, how many.</summary>
    internal string KeysInGaps { get; }

    /// <summary>Parameter: orderings.</summary>
    internal string Rows { get; }

    /// <summary>The place of the ordering in the parameter, from 1, and a tag of it. Parameter: orderings.</summary>
    internal string Tags { get; }

    internal string FirstTagged { get; }

    /// <summary>
    /// Who may still commit an ordering: <c>nextval</c> locks the sequence before it draws and keeps the lock to the end of
    /// its transaction, also where a savepoint is rolled back (LockSequenceRelation in
    /// https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/commands/sequence.c). A reader of the sequence,
    /// such as pg_dump, takes a weaker lock and is not meant. NULL where this server does not know: a standby has no locks
    /// of writers, a column without a sequence of its own none that could be looked for, and a subscription's workers take none.
    /// Parameters: table, column.
    /// </summary>
    internal static string Holders =>
        $"SELECT CASE WHEN NOT pg_is_in_recovery() AND s.oid IS NOT NULL AND NOT {IsSubscribed} THEN ARRAY("
        + "SELECT DISTINCT l.virtualtransaction FROM pg_locks l "
        + "WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.relation = s.oid "
        + "AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())) END "
        + "FROM (SELECT to_regclass(pg_get_serial_sequence($1, $2))::oid) AS s (oid)";

    /// <summary>
    /// The server's <c>max_connections</c>, whether it is a standby, whether the ordering has a sequence, how many
    /// numbers a session takes from it at a time, and whether a subscription writes to the table. Fails where the table is missing or may not be read. Parameters: table, column.
    /// </summary>
    internal string Probe { get; }

    /// <summary>The session's name for <see cref="StillRunning"/>.</summary>
    internal static string OwnBackend => $"SELECT {Backend} FROM pg_stat_get_activity(pg_backend_pid())";

    /// <summary>Those sessions that run a statement, or of which the server does not tell. Parameter: sessions.</summary>
    internal static string StillRunning =>
        $"SELECT {Backend} FROM pg_stat_activity WHERE {Backend} = ANY($1) AND state NOT LIKE 'idle%'";

    // OFFSET 0 keeps the planner from turning the look-ups into a join with a scan of the whole table.
    private static string EachOrdering(string result, string columns, string table, string ordering) =>
        $"SELECT {result} FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i) CROSS JOIN LATERAL "
        + $"(SELECT {columns} FROM {table} WHERE {ordering} = r.n OFFSET 0) e";
}
