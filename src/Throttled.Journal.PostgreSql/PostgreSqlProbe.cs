using Npgsql;
using Throttled.Journal.Sql;

namespace Throttled.Journal.PostgreSql;

/// <summary>Learns what the server allows.</summary>
internal sealed class PostgreSqlProbe(PostgreSqlStatements statements, JournalOptions options, int? poolSize)
{
    // The tail's statement and the listener.
    private const int Others = 2;

    internal async Task<ServerFacts> RunAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        ServerFacts? facts = null;
        var command = await session.CommandAsync(statements.Probe, cancellation, Table(), Column()).ConfigureAwait(false);
        await PostgreSqlSession.ReadAsync(command, Take, cancellation).ConfigureAwait(false);
        return facts!;

        bool Take(NpgsqlDataReader row)
        {
            facts = Facts(row);
            // It is the only row: to stop the server would cost a connection.
            return true;
        }
    }

    /// <summary>The parameters by which <c>pg_get_serial_sequence</c> finds the ordering's sequence: it parses the table, not the column.</summary>
    internal NpgsqlParameter<string> Table() => new() { TypedValue = statements.JournalTable };

    internal NpgsqlParameter<string> Column() => new() { TypedValue = options.Tables.OrderingColumn };

    private ServerFacts Facts(NpgsqlDataReader row)
    {
        var connections = row.GetInt32(0);
        var (standby, hasSequence, cache) = (row.GetBoolean(1), row.GetBoolean(2), row.IsDBNull(3) ? 1 : row.GetInt64(3));
        var warning = Unseen(standby, hasSequence, isSubscribed: row.GetBoolean(4)) ?? Skips(cache);
        var ceiling = (connections / 2) - Others;
        return poolSize is { } pool && pool - Others < ceiling
            ? new(Math.Max(1, pool - Others), FormattableString.Invariant($"Maximum Pool Size is {pool}"), warning)
            : new(Math.Max(1, ceiling), FormattableString.Invariant($"max_connections is {connections}"), warning);
    }

    private string? Unseen(bool standby, bool hasSequence, bool isSubscribed)
    {
        var why = standby ? "The server is a standby, where the locks of writers cannot be seen"
            : !hasSequence
                ? $"The column {options.Tables.OrderingColumn} of {statements.JournalTable} has no sequence of its own (serial or identity)"
            : isSubscribed ? $"A subscription writes to {statements.JournalTable}, and its workers hold no lock of the sequence"
            : null;
        return why is null ? null : why + ": a missing ordering is given up after GapTimeout.";
    }

    private string? Skips(long cache) => cache > 1
        ? FormattableString.Invariant($"The sequence of {statements.JournalTable} has CACHE {cache}: sessions commit numbers that they drew ")
            + "long before, and a stored position may skip them. Set it to CACHE 1."
        : null;
}
