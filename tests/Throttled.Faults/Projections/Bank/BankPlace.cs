using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>Where a bank's journal and its read model are.</summary>
/// <param name="IsSqlite">Whether these are two SQLite files; otherwise PostgreSQL.</param>
/// <param name="Journal">How to connect to the journal.</param>
/// <param name="ReadModel">How to connect to the read model.</param>
internal sealed record BankPlace(bool IsSqlite, string Journal, string ReadModel)
{
    internal JournalReader OpenJournal()
    {
        var options = new JournalOptions { RefreshInterval = TimeSpan.FromMilliseconds(50) };
        return IsSqlite ? SqliteJournal.OpenReader(Journal, options) : PostgreSqlJournal.OpenReader(Journal, options);
    }

    internal JournalAppender OpenAppender() => IsSqlite ? SqliteJournal.OpenAppender(Journal) : PostgreSqlJournal.OpenAppender(Journal);

    internal DbDataSource OpenSource() => IsSqlite ? SqliteFactory.Instance.CreateDataSource(ReadModel) : NpgsqlDataSource.Create(ReadModel);

    internal ReadModel ReadModelOf(DbDataSource source) =>
        IsSqlite ? Throttled.Projections.ReadModel.Sqlite(source) : Throttled.Projections.ReadModel.PostgreSql(source);
}
