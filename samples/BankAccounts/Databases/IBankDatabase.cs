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
    /// <summary>As tables of results name it.</summary>
    string Name { get; }

    /// <summary>The read model's connections.</summary>
    DbDataSource Source { get; }

    ReadModelDatabase ReadModel { get; }

    /// <summary>How the handlers write.</summary>
    AccountSql Sql { get; }

    /// <summary>What the settings name.</summary>
    /// <exception cref="BankException">A connection string cannot be used.</exception>
    internal static IBankDatabase Open(BankSettings settings) =>
        settings.Database == "sqlite" ? new SqliteBank(SqliteSettings.Read(settings)) : new PostgreSqlBank(PostgreSqlSettings.Read(settings));

    JournalReader OpenReader(JournalOptions options);

    JournalAppender OpenAppender(JournalTables tables);

    /// <summary>The raw floor of a replay.</summary>
    IFloor OpenFloor(FloorPlan plan);

    /// <summary>Makes the read model's file or schema where it is not there, as a replay wants it.</summary>
    Task CreateAsync(CancellationToken cancellation);

    /// <summary>Removes the read model's file or schema with all that is in it, and lets the database do what it would do by and by.</summary>
    Task ClearAsync(CancellationToken cancellation);

    /// <summary>How many events a journal has; null where it is not there.</summary>
    Task<long?> CountAsync(JournalTables tables, CancellationToken cancellation);

    /// <summary>Removes a journal.</summary>
    Task DropAsync(JournalTables tables, CancellationToken cancellation);

    /// <summary>After a large append: what the database would do by and by, so that no replay pays for it.</summary>
    Task SettleAsync(JournalTables tables, CancellationToken cancellation);

    /// <summary>Says where the database is and what to do about its error.</summary>
    BankException Explain(DbException error);
}
