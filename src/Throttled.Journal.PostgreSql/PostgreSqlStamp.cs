using Npgsql;
using Throttled.Journal.Sharding;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Writes the mark that stands beside a shard's journal.</summary>
/// <param name="tables">The journal's tables.</param>
/// <param name="connection">The connection, in a transaction.</param>
internal sealed class PostgreSqlStamp(JournalTables tables, NpgsqlConnection connection)
{
    private readonly StampStatements _statements = new(new PostgreSqlDialect(), tables);

    /// <summary>The statement that a reader asks first. Parameter: a table, quoted.</summary>
    internal const string Exists = "SELECT to_regclass($1) IS NOT NULL";

    /// <exception cref="ShardStampException">The events were written with another map.</exception>
    internal async Task WriteAsync(ShardPlace place, CancellationToken cancellation)
    {
        // Who finds it written needs no right to create.
        if (ShardStamp.MustStamp(await FoundAsync(cancellation).ConfigureAwait(false), place, _statements.Journal, hasEvents: false))
            await WriteOnceAsync(place, cancellation).ConfigureAwait(false);
    }

    /// <summary>Writes it whatever events there are: the caller has checked these, and writes alone.</summary>
    /// <exception cref="ShardStampException">There is another.</exception>
    internal async Task MarkAsync(ShardPlace place, CancellationToken cancellation)
    {
        if (!ShardStamp.MustStamp(await FoundAsync(cancellation).ConfigureAwait(false), place, _statements.Journal, hasEvents: false))
            return;
        await RunAsync(_statements.Create, cancellation).ConfigureAwait(false);
        await InsertAsync(place, cancellation).ConfigureAwait(false);
    }

    // Another writer may mark and append between two reads of ours, which would be events without a mark; so both are read in our turn.
    private async Task WriteOnceAsync(ShardPlace place, CancellationToken cancellation)
    {
        await RunAsync(PostgreSqlSchema.TakeTurns, cancellation).ConfigureAwait(false);
        // First, because it is also what makes this session notice that another has created the table since it read.
        await RunAsync(_statements.Create, cancellation).ConfigureAwait(false);
        var found = await FoundAsync(cancellation).ConfigureAwait(false);
        if (!ShardStamp.MustStamp(found, place, _statements.Journal, await HasEventsAsync(cancellation).ConfigureAwait(false)))
            return;
        await InsertAsync(place, cancellation).ConfigureAwait(false);
    }

    private Task InsertAsync(ShardPlace place, CancellationToken cancellation) =>
        RunAsync(_statements.Write, cancellation, Of(tables.JournalTable), Of(place.Shard), Of(place.Map.ToString()));

    /// <summary>What stands there; null for nothing.</summary>
    internal async Task<ShardStamp?> FoundAsync(CancellationToken cancellation) =>
        await ExistsAsync(_statements.Table, cancellation).ConfigureAwait(false)
            ? await ReadAsync(_statements.Read, row => new ShardStamp(row.GetInt32(0), row.GetString(1)), cancellation, Of(tables.JournalTable)).ConfigureAwait(false)
            : null;

    private async Task<bool> HasEventsAsync(CancellationToken cancellation) =>
        await ExistsAsync(_statements.Journal, cancellation).ConfigureAwait(false)
        && await ReadAsync(_statements.AnyEvent, _ => true, cancellation).ConfigureAwait(false);

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
