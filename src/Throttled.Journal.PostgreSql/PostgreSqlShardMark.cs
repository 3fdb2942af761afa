using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Writes the mark beside a shard's journal.</summary>
/// <param name="tables">The journal's tables.</param>
/// <param name="connection">The connection, in a transaction.</param>
internal sealed class PostgreSqlShardMark(JournalTables tables, NpgsqlConnection connection)
{
    private readonly ShardMarkSql _sql = new(new PostgreSqlDialect(), tables);

    /// <summary>Whether a table exists. A reader runs this first. Parameter: a table, quoted.</summary>
    internal const string Exists = "SELECT to_regclass($1) IS NOT NULL";

    /// <exception cref="ShardMarkException">The events were written with another map.</exception>
    internal async Task WriteAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        // If the mark exists, no right to create a table is needed.
        if (ShardMark.MustMark(await FoundAsync(cancellation).ConfigureAwait(false), identity, _sql.Journal, hasEvents: false))
            await WriteOnceAsync(identity, cancellation).ConfigureAwait(false);
    }

    /// <summary>Writes the mark without a check for events: the caller has checked them, and is the only writer.</summary>
    /// <exception cref="ShardMarkException">There is another mark.</exception>
    internal async Task MarkAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        if (!ShardMark.MustMark(await FoundAsync(cancellation).ConfigureAwait(false), identity, _sql.Journal, hasEvents: false))
            return;
        await RunAsync(_sql.Create, cancellation).ConfigureAwait(false);
        await InsertAsync(identity, cancellation).ConfigureAwait(false);
    }

    // Another writer could mark and append between two reads, which would leave events without a mark. So both are read under
    // the lock.
    private async Task WriteOnceAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        await RunAsync(PostgreSqlSchema.TakeTurns, cancellation).ConfigureAwait(false);
        // CREATE comes first. It also shows this session a table that another session created since the first read.
        await RunAsync(_sql.Create, cancellation).ConfigureAwait(false);
        var found = await FoundAsync(cancellation).ConfigureAwait(false);
        if (!ShardMark.MustMark(found, identity, _sql.Journal, await HasEventsAsync(cancellation).ConfigureAwait(false)))
            return;
        await InsertAsync(identity, cancellation).ConfigureAwait(false);
    }

    private Task InsertAsync(ShardIdentity identity, CancellationToken cancellation) =>
        RunAsync(_sql.Write, cancellation, Of(tables.JournalTable), Of(identity.Shard), Of(identity.Map.ToString()));

    /// <returns>The mark in the database; null for none.</returns>
    internal async Task<ShardMark?> FoundAsync(CancellationToken cancellation) =>
        await ExistsAsync(_sql.Table, cancellation).ConfigureAwait(false)
            ? await ReadAsync(_sql.Read, row => new ShardMark(row.GetInt32(0), row.GetString(1)), cancellation, Of(tables.JournalTable)).ConfigureAwait(false)
            : null;

    private async Task<bool> HasEventsAsync(CancellationToken cancellation) =>
        await ExistsAsync(_sql.Journal, cancellation).ConfigureAwait(false)
        && await ReadAsync(_sql.AnyEvent, _ => true, cancellation).ConfigureAwait(false);

    private Task<bool> ExistsAsync(string table, CancellationToken cancellation) =>
        ReadAsync(Exists, row => row.GetBoolean(0), cancellation, Of(table));

    private async Task<T?> ReadAsync<T>(string sql, Func<NpgsqlDataReader, T> read, CancellationToken cancellation, params NpgsqlParameter[] parameters)
    {
        var command = Command(sql, parameters);
        await using var closing = command.ConfigureAwait(false);
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        await using var draining = reader.ConfigureAwait(false);
        return await reader.ReadAsync(cancellation).ConfigureAwait(false) ? read(reader) : default;
    }

    private async Task RunAsync(string sql, CancellationToken cancellation, params NpgsqlParameter[] parameters)
    {
        var command = Command(sql, parameters);
        await using var closing = command.ConfigureAwait(false);
        await command.ExecuteNonQueryAsync(cancellation).ConfigureAwait(false);
    }

    private NpgsqlCommand Command(string sql, NpgsqlParameter[] parameters)
    {
        var command = new NpgsqlCommand(sql, connection);
        command.Parameters.AddRange(parameters);
        return command;
    }
}
