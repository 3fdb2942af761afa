using System.Data.Common;
using BankAccounts.Handlers;
using BankAccounts.Replay.Floor;
using BankAccounts.Settings;
using Throttled.Journal;
using Throttled.Projections;

namespace BankAccounts.Databases;

/// <summary>One database with a journal and a read model.</summary>
internal interface IBankDatabase : IAsyncDisposable
{
    /// <summary>The name in tables of results.</summary>
    string Name { get; }

    /// <summary>The read model's connections.</summary>
    DbDataSource Source { get; }

    ReadModelDatabase ReadModel { get; }

    /// <summary>The SQL of the handlers.</summary>
    AccountSql Sql { get; }

    /// <summary>Opens the database that the settings name.</summary>
    /// <exception cref="BankException">A connection string cannot be used.</exception>
    internal static IBankDatabase Open(BankSettings settings) =>
        settings.Database == "sqlite" ? new SqliteBank(SqliteSettings.Read(settings)) : new PostgreSqlBank(PostgreSqlSettings.Read(settings));

    JournalReader OpenReader(JournalOptions options);

    JournalAppender OpenAppender(JournalTables tables);

    /// <summary>The floor of a replay: the same work by the bare driver.</summary>
    IFloor OpenFloor(FloorPlan plan);

    /// <summary>Creates the read model's file or schema if it does not exist, with the settings that a replay needs.</summary>
    Task CreateAsync(CancellationToken cancellation);

    /// <summary>
    /// Removes the read model's file or schema with all its content. Also does the work that the database would do later in the
    /// background.
    /// </summary>
    Task ClearAsync(CancellationToken cancellation);

    /// <summary>The number of events in a journal; null if it does not exist.</summary>
    Task<long?> CountAsync(JournalTables tables, CancellationToken cancellation);

    Task DropAsync(JournalTables tables, CancellationToken cancellation);

    /// <summary>
    /// Call it after a large append. Does the work that the database would do later in the background, so that it does not slow
    /// a replay.
    /// </summary>
    Task SettleAsync(JournalTables tables, CancellationToken cancellation);

    /// <summary>Adds to a database's error where the database is and what to do.</summary>
    BankException Explain(DbException error);
}
