using BankAccounts.History;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Nodes;

/// <summary>
/// A journal whose readers' statements take some milliseconds without work for the processor, so that many of them run at once. The first event of some
/// accounts makes a statement wait; a policy on the rows does that for the readers' role.
/// </summary>
internal static class NodeTables
{
    /// <summary>The number of accounts of a bank on nodes.</summary>
    internal const int Accounts = 80;

    internal static string SlowDown =>
        $"""
        CREATE FUNCTION wait_a_little() RETURNS boolean VOLATILE LANGUAGE sql AS 'SELECT pg_sleep(0.01) IS NOT NULL';
        ALTER TABLE journal ENABLE ROW LEVEL SECURITY;
        CREATE POLICY slow ON journal FOR SELECT TO {PostgreSqlServer.Reader}
            USING (sequence_number <> 1 OR persistence_id NOT LIKE '%7' OR wait_a_little());
        {Rights.OfReader(JournalTables.Default)}
        """;

    /// <summary>The statements of readers that run now, for each reader.</summary>
    internal const string Running =
        $"""
        SELECT application_name, count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE '{NodeWork.Reader}%' AND state = 'active' GROUP BY 1
        """;

    /// <summary>What the server does now, to explain a failure.</summary>
    internal const string Sessions =
        """
        SELECT format('%s %s %s, transaction since %s, blocked by %s: %s', pid, application_name, state, now() - xact_start, pg_blocking_pids(pid), left(query, 200))
        FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'
        """;

    /// <summary>The owners of the lanes, to explain a failure.</summary>
    internal const string Lanes =
        """
        SELECT format('lane %s of %s: owner %s until %s, %s, offsets %s', l.lane, l.version, l.owner, l.lease_until, l.state,
            (SELECT string_agg(format('%s with %s events', o.ordering, o.events), ', ') FROM throttled_projection_offset o
                WHERE o.version = l.version AND o.first_slice BETWEEN l.first_slice AND l.last_slice))
        FROM throttled_projection_lane l
        """;

    /// <summary>
    /// The open batches that a node keeps. Such a session has this name only within its transaction, and has written; it waits for the node's next statement.
    /// </summary>
    internal static string OpenBatches(NodeAddress node) =>
        $"""
        SELECT count(*) FROM pg_stat_activity
        WHERE application_name = '{OpenBatchOf(node)}' AND state = 'idle in transaction' AND backend_xid IS NOT NULL
        """;

    internal static string OpenBatchOf(NodeAddress node) => $"open batch of {node.Host}";

    /// <summary>An account whose id ends with 7.</summary>
    internal static string SlowAccount(int number) => AccountHistory.IdOf((number * 10) + 7);
}
