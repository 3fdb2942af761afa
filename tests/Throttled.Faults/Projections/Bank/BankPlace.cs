using System.Data.Common;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>The databases of a bank's journal and read model.</summary>
/// <param name="Database">The database of the read model, and of the journal. A read model in SQL Server has its journal in a SQLite file.</param>
/// <param name="Journal">The connection string of the journal.</param>
/// <param name="ReadModel">The connection string of the read model.</param>
internal sealed record BankPlace(string Database, string Journal, string ReadModel)
{
    internal bool IsSqlite => Database == OnSqliteAttribute.Name;

    internal bool IsSqlServer => Database == OnSqlServerAttribute.Name;

    /// <summary>The connection strings of the shards of a sharded journal; empty if it is not sharded.</summary>
    public IReadOnlyList<string> Shards { get; init; } = [];

    internal JournalReader OpenJournal()
    {
        var options = new JournalOptions { RefreshInterval = TimeSpan.FromMilliseconds(50) };
        return Shards.Count == 0 ? OpenReader(Journal, options) : ShardedJournal.OpenReader(Shards, OpenReader, options);
    }

    internal JournalAppender OpenAppender() => Shards.Count == 0 ? OpenAppender(Journal, null) : ShardedJournal.OpenAppender(Shards, OpenAppender);

    internal DbDataSource OpenSource() => IsSqlite ? SqliteFactory.Instance.CreateDataSource(ReadModel)
        : IsSqlServer ? SqlClientFactory.Instance.CreateDataSource(ReadModel)
        : NpgsqlDataSource.Create(ReadModel);

    internal ReadModelDatabase ReadModelOf(DbDataSource source) =>
        IsSqlite ? ReadModelDatabase.Sqlite(source) : IsSqlServer ? ReadModelDatabase.SqlServer(source) : ReadModelDatabase.PostgreSql(source);

    /// <summary>Whether a journal is in a SQLite file.</summary>
    internal bool HasJournalFile => IsSqlite || IsSqlServer;

    private JournalReader OpenReader(string database, JournalOptions? options) =>
        HasJournalFile ? SqliteJournal.OpenReader(database, options) : PostgreSqlJournal.OpenReader(database, options);

    private JournalAppender OpenAppender(string database, JournalTables? tables) =>
        HasJournalFile ? SqliteJournal.OpenAppender(database, tables) : PostgreSqlJournal.OpenAppender(database, tables);
}
