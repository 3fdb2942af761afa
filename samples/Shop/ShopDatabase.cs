using System.Data.Common;
using Dapper;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Journal;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Projections;

/// <summary>The database of journal and read model: a SQLite file, or PostgreSQL if <c>ConnectionStrings:Shop</c> is set.</summary>
internal sealed class ShopDatabase(string? postgreSql)
{
    private const string Sqlite = "Data Source=shop.db";

    internal string Place => postgreSql is null ? Path.GetFullPath("shop.db") : "the database of ConnectionStrings:Shop";

    private DbDataSource Source { get; } = postgreSql is null ? SqliteFactory.Instance.CreateDataSource(Sqlite) : NpgsqlDataSource.Create(postgreSql);

    internal ReadModelDatabase ReadModel => postgreSql is null ? ReadModelDatabase.Sqlite(Source) : ReadModelDatabase.PostgreSql((NpgsqlDataSource)Source);

    // With the package Akka.Persistence.Sql.Hosting, WithSqlPersistence(connectionString, provider) does the same in code.
    internal string WritePlugin => $$"""
        akka.persistence.journal.plugin = "akka.persistence.journal.sql"
        akka.persistence.journal.sql {
          class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql"
          connection-string = "{{postgreSql ?? Sqlite}}"
          provider-name = "{{(postgreSql is null ? "SQLite.MS" : "PostgreSQL.15")}}"
          tag-write-mode = TagTable
          event-adapters.tagger = "{{typeof(Tagger).AssemblyQualifiedName}}"
          event-adapter-bindings."{{typeof(Placed).AssemblyQualifiedName}}" = tagger
        }
        """;

    /// <summary>Creates the journal's tables, with the index that reading by tag needs, and the table of offsets.</summary>
    internal async Task CreateAsync()
    {
        await using var appender = postgreSql is null ? SqliteJournal.OpenAppender(Sqlite) : PostgreSqlJournal.OpenAppender(postgreSql);
        await appender.CreateAsync();
        await using var connection = await Source.OpenConnectionAsync();
        await connection.ExecuteAsync("CREATE TABLE IF NOT EXISTS stream_offsets (stream VARCHAR(100) PRIMARY KEY, ordering BIGINT NOT NULL)");
    }

    internal async Task<Offset> OffsetAsync(string stream)
    {
        await using var connection = await Source.OpenConnectionAsync();
        var ordering = await connection.QuerySingleOrDefaultAsync<long>("SELECT ordering FROM stream_offsets WHERE stream = @stream", new { stream });
        return Offset.Sequence(ordering);
    }

    internal async Task StoreAsync(string stream, Offset offset)
    {
        const string sql = "INSERT INTO stream_offsets VALUES (@stream, @Value) ON CONFLICT (stream) DO UPDATE SET ordering = excluded.ordering";
        await using var connection = await Source.OpenConnectionAsync();
        await connection.ExecuteAsync(sql, new { stream, ((Sequence)offset).Value });
    }

    internal async Task<List<CustomerRow>> CustomersAsync(string version) =>
        await RowsAsync<CustomerRow>($"SELECT customer, orders, pieces FROM {SalesTables.Quoted(version, "customers")} ORDER BY customer");

    internal async Task<List<OrderRow>> OrdersAsync(string version) =>
        await RowsAsync<OrderRow>($"SELECT id, customer, product, count, shipped FROM {SalesTables.Quoted(version, "orders")} ORDER BY id");

    private async Task<List<T>> RowsAsync<T>(string sql)
    {
        await using var connection = await Source.OpenConnectionAsync();
        return [.. await connection.QueryAsync<T>(sql)];
    }
}
