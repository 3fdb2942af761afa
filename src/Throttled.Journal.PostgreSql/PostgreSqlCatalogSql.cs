namespace Throttled.Journal.PostgreSql;

/// <summary>The SQL texts that query the server's locks, sessions, sequences and indexes.</summary>
internal static class PostgreSqlCatalogSql
{
    // The start time tells a backend from a later one with the same process id. It is a number, because the text of a time
    // depends on the session's time zone.
    private const string Backend = "pid || '/' || (extract(epoch FROM backend_start) * 1000000)::bigint";

    /// <summary>
    /// Whether a subscription writes to the table. Its workers insert the numbers of another server and draw none. Every user may read
    /// pg_subscription_rel (https://www.postgresql.org/docs/current/catalog-pg-subscription-rel.html), and on most servers it is empty.
    /// </summary>
    internal const string IsSubscribed =
        "EXISTS (SELECT FROM pg_subscription_rel r WHERE r.srrelid = to_regclass($1) "
        + "OR r.srrelid IN (SELECT p.relid FROM pg_partition_tree(to_regclass($1)) p))";

    /// <summary>
    /// The sequence of the ordering: the identity's, or the only one that the column's default depends on. A sequence that the
    /// column owns may be another one, so it counts only if there is no default. Parameters: table, column.
    /// </summary>
    internal const string FromSequence =
        "FROM (SELECT (SELECT CASE WHEN a.attidentity <> '' OR NOT a.atthasdef THEN to_regclass(pg_get_serial_sequence($1, $2))::oid ELSE ("
        + "SELECT CASE WHEN count(DISTINCT c.oid) = 1 THEN min(c.oid) END FROM pg_attrdef f "
        + "JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass "
        + "JOIN pg_class c ON c.oid = d.refobjid AND c.relkind = 'S' WHERE f.adrelid = a.attrelid AND f.adnum = a.attnum) END "
        + "FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attname = $2 AND NOT a.attisdropped)) AS s (oid)";

    /// <summary>The same sequence with its schema, quoted.</summary>
    internal const string SequenceName =
        "(SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = s.oid)";

    /// <summary>
    /// The open transactions that may still commit an ordering. <c>nextval</c> locks the sequence before it draws a number. It keeps the lock to the
    /// end of the transaction, even if a savepoint is rolled back (LockSequenceRelation in
    /// https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/commands/sequence.c). A reader of the sequence, such as pg_dump, takes a
    /// weaker lock and is not included. NULL if this server cannot know. A standby has no locks of writers. A column that does not use exactly one
    /// sequence has no lock to look for. The workers of a subscription take no lock. If a sequence has a cache, transactions that have ended may have
    /// drawn the numbers; its cache and its name are then returned. Parameters: table, column.
    /// </summary>
    internal const string OpenTransactions =
        "SELECT CASE WHEN NOT pg_is_in_recovery() AND (SELECT q.seqcache FROM pg_sequence q WHERE q.seqrelid = s.oid) = 1 "
        + $"AND NOT {IsSubscribed} THEN ARRAY("
        + "SELECT DISTINCT l.virtualtransaction FROM pg_locks l "
        + "WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.relation = s.oid "
        + "AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())) END, "
        + $"(SELECT q.seqcache FROM pg_sequence q WHERE q.seqrelid = s.oid AND q.seqcache > 1 AND NOT {IsSubscribed}), {SequenceName} "
        + FromSequence;

    /// <summary>
    /// A standby's <see cref="StandbyState"/>; no row on a primary. The transactions are those of the primary, as far as the
    /// standby has replayed: https://www.postgresql.org/docs/current/hot-standby.html
    /// </summary>
    internal const string Standby =
        "SELECT txid_snapshot_xmin(s), txid_snapshot_xmax(s), (pg_last_wal_replay_lsn() - '0/0')::bigint, "
        + "coalesce(pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn(), false) AND EXISTS (SELECT FROM pg_stat_wal_receiver) "
        + "FROM txid_current_snapshot() s WHERE pg_is_in_recovery()";

    /// <summary>
    /// The oldest of some open transactions: seconds, user, process, application, state, the query's first 101 characters, name of a prepared
    /// transaction. A role that may not see a session gets only its user, process and application. A prepared transaction has no process. The lock of
    /// its transaction id identifies it, whatever its name is. Parameter: open transactions.
    /// </summary>
    internal const string Oldest =
        "WITH h AS MATERIALIZED (SELECT l.pid, l.locktype, l.transactionid FROM pg_locks l WHERE l.virtualtransaction = ANY($1)) "
        + "SELECT extract(epoch FROM clock_timestamp() - o.since)::bigint, o.owner, o.pid, o.application, o.state, "
        + "left(regexp_replace(o.query, '\\s+', ' ', 'g'), 101), left(regexp_replace(o.gid, '\\s+', ' ', 'g'), 100) FROM ("
        + "SELECT a.xact_start, a.usename::text, a.pid, a.application_name, a.state, a.query, NULL FROM pg_stat_activity a "
        + "WHERE a.pid IN (SELECT h.pid FROM h) UNION ALL "
        + "SELECT p.prepared, p.owner::text, NULL, NULL, NULL, NULL, p.gid FROM pg_prepared_xacts p "
        + "WHERE p.transaction::text IN (SELECT h.transactionid::text FROM h WHERE h.pid IS NULL AND h.locktype = 'transactionid')"
        + ") AS o (since, owner, pid, application, state, query, gid) ORDER BY o.since NULLS LAST, o.pid LIMIT 1";

    /// <summary>
    /// The ordering's sequence, quoted, if its value can be read and is meaningful; <see cref="OpenTransactions"/> lists the other
    /// cases. Parameters: table, column.
    /// </summary>
    internal const string ReadableSequence =
        $"SELECT CASE WHEN NOT pg_is_in_recovery() AND NOT {IsSubscribed} AND has_sequence_privilege(s.oid, 'SELECT') THEN {SequenceName} END "
        + FromSequence;

    /// <summary>
    /// Whether a table lacks an index that begins with two columns; no row if there is no such table. An invalid index that a
    /// failed CREATE INDEX CONCURRENTLY left does not count. Parameters: table, first column, second column.
    /// </summary>
    internal const string LacksIndex =
        "SELECT NOT EXISTS (SELECT FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam "
        + "WHERE x.indrelid = t.oid AND x.indisvalid AND x.indpred IS NULL AND m.amname = 'btree' AND x.indnkeyatts >= 2 "
        + "AND x.indkey[0] = (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = $2) "
        + "AND x.indkey[1] = (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = $3)) "
        + "FROM pg_class t WHERE t.oid = to_regclass($1) AND t.relkind IN ('r', 'p')";

    /// <summary>Whether a table exists. Parameter: table.</summary>
    internal const string IsThere = "SELECT to_regclass($1) IS NOT NULL";

    /// <summary>The session's name for <see cref="StillRunning"/>.</summary>
    internal const string OwnBackend = $"SELECT {Backend} FROM pg_stat_get_activity(pg_backend_pid())";

    /// <summary>The name of the server's run, from its start to its end, and the address where it listens.</summary>
    internal const string OwnServer = "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint::text, "
        + "coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a socket')";

    /// <summary>
    /// A value that changes when the server has recovered from the crash of one of its processes. Such a recovery ends all sessions and loses commits
    /// that did not wait for the disk, but it is no restart. The server then resets its counters (pgstat_reset_after_failure in
    /// https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/utils/activity/pgstat.c). A manual reset changes the value too, which is
    /// rare.
    /// </summary>
    internal const string OwnRecovery = "coalesce((extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()) * 1000000)::bigint::text, '')";

    /// <summary>The given sessions that run a statement, or whose state the server does not show. Parameter: sessions.</summary>
    internal const string StillRunning = $"SELECT {Backend} FROM pg_stat_activity WHERE {Backend} = ANY($1) AND state NOT LIKE 'idle%'";

    /// <summary>Ends the given sessions. A role may end its own sessions. Parameter: sessions.</summary>
    internal const string Terminate = $"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {Backend} = ANY($1)";

    /// <summary>Cancels the statements of the given sessions. Parameter: sessions.</summary>
    internal const string Cancel = $"SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE {Backend} = ANY($1)";

    /// <summary>The highest number that a sequence issued. A restarted one has issued none since. Numbers below its start may have been issued.</summary>
    /// <param name="sequence">The sequence, quoted.</param>
    internal static string LastIssued(string sequence) => $"SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM {sequence}";

    /// <summary>The type of a column, or the base type of its domain; no row if there is no such column. Parameters: table, column.</summary>
    internal const string ColumnType =
        "SELECT coalesce(nullif(t.typbasetype, 0), t.oid)::regtype::text FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
        + "WHERE a.attrelid = to_regclass($1) AND a.attname = $2 AND NOT a.attisdropped";
}
