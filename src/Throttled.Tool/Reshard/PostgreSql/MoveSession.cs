using System.Data.Common;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Relational;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Tool.Reshard;

/// <summary>A connection that copies rows from or to a journal's tables, and its queries.</summary>
internal sealed class MoveSession(NpgsqlConnection connection, JournalTables tables) : AdoTransaction, IAsyncDisposable
{
    // The user or database may have timeouts for the application, whose statements are short.
    private const string Timeouts = "SET statement_timeout = 0; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = 0";

    // The catalog then adds the schema to every name outside its own, because the other database may have another search path.
    private const string NoPath = "; SET search_path = ''";

    private const string Start = "SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint::text || '/' || d.oid::text "
        + "|| '/' || coalesce($1::text, current_schema()) || '/' || $2::text FROM pg_database d WHERE d.datname = current_database()";

    private readonly PostgreSqlDialect _dialect = new();

    internal NpgsqlConnection Connection => connection;

    internal JournalTables Tables => tables;

    internal string Quote(string name) => _dialect.Quote(name);

    internal string Quoted(MovedTable table) => _dialect.Table(tables.Schema, table.Name);

    internal string Journal => _dialect.Table(tables.Schema, tables.JournalTable);

    internal ShardMarkWriter Mark => new(_dialect, tables, this);

    internal Task SetUpAsync(CancellationToken cancellation) => RunAsync(tables.Schema is null ? Timeouts : Timeouts + NoPath, cancellation);

    internal async Task<string> IdentityAsync(CancellationToken cancellation) =>
        (await ReadAsync(Start, row => row.GetString(0), cancellation, OrNull(tables.Schema), Of(tables.JournalTable)))!;

    internal async Task<long> CountAsync(MovedTable table, CancellationToken cancellation)
    {
        if (!await ReadAsync(PostgreSqlCatalogSql.IsThere, row => row.GetBoolean(0), cancellation, Of(Quoted(table))))
            return 0;
        return await ReadAsync($"SELECT count(*) FROM {Quoted(table)}", row => row.GetInt64(0), cancellation);
    }

    /// <returns>The sequence of the orderings, quoted; null if there is none.</returns>
    internal Task<string?> SequenceAsync(CancellationToken cancellation) => ReadAsync(
        $"SELECT {PostgreSqlCatalogSql.SequenceName} {PostgreSqlCatalogSql.FromSequence}",
        row => row.IsDBNull(0) ? null : row.GetString(0), cancellation, Of(Journal), Of(tables.OrderingColumn));

    // A missing journal has no ordering; the code that needs the table reports that. Rows above the sequence may have been inserted by hand.
    internal async Task<long> LastIssuedAsync(CancellationToken cancellation)
    {
        if (!await ReadAsync(PostgreSqlCatalogSql.IsThere, row => row.GetBoolean(0), cancellation, Of(Journal)))
            return 0;
        var highest = await ReadAsync(
            $"SELECT coalesce(max({Quote(tables.OrderingColumn)}), 0)::bigint FROM {Journal}", row => row.GetInt64(0), cancellation);
        if (await SequenceAsync(cancellation) is not { } sequence)
            return highest;
        return Math.Max(highest, await ReadAsync(
            PostgreSqlCatalogSql.LastIssued(sequence), row => row.GetInt64(0), cancellation));
    }

    internal async Task<List<T>> AllAsync<T>(string sql, Func<NpgsqlDataReader, T> read, CancellationToken cancellation, params NpgsqlParameter[] parameters)
    {
        await using var command = Command(sql, parameters);
        await using var reader = await command.ExecuteReaderAsync(cancellation);
        List<T> rows = [];
        while (await reader.ReadAsync(cancellation))
            rows.Add(read(reader));
        return rows;
    }

    public ValueTask DisposeAsync() => connection.DisposeAsync();

    protected override NpgsqlCommand Command(string sql, DbParameter[] parameters)
    {
        var command = new NpgsqlCommand(sql, connection);
        command.Parameters.AddRange(parameters);
        return command;
    }

    private static NpgsqlParameter OrNull(string? value) => value is null
        ? new NpgsqlParameter { Value = DBNull.Value, NpgsqlDbType = NpgsqlTypes.NpgsqlDbType.Text }
        : Of(value);
}
