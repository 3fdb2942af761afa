using System.Data.Common;
using BankAccounts.Handlers;
using BankAccounts.Settings;
using Throttled.Journal;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Databases;

/// <summary>One database with a journal and a read model.</summary>
internal interface IBankDatabase : IAsyncDisposable
{
    /// <summary>What to do if a table is missing.</summary>
    internal const string NoTables = "there is no such table yet. Run the projection first.";

    /// <summary>The read model's connections.</summary>
    DbDataSource Source { get; }

    ReadModelDatabase ReadModel { get; }

    /// <summary>The SQL of the handlers.</summary>
    AccountSql Sql { get; }

    /// <summary>Opens the database that the settings name.</summary>
    /// <exception cref="CommandException">A connection string cannot be used.</exception>
    internal static IBankDatabase Open(BankSettings settings) =>
        settings.Database == "sqlite" ? new SqliteBank(settings) : new PostgreSqlBank(settings);

    JournalReader OpenReader(JournalOptions options);

    JournalAppender OpenAppender(JournalTables tables);

    /// <summary>Creates the read model's file or schema if it does not exist.</summary>
    Task CreateAsync(CancellationToken cancellation);

    /// <summary>The number of events in a journal; null if it does not exist.</summary>
    Task<long?> CountAsync(JournalTables tables, CancellationToken cancellation);

    /// <summary>Adds to a database's error where the database is and what to do.</summary>
    CommandException Explain(DbException error);
}

/// <summary>The names of journals: tables of the sample, so that it does not touch yours.</summary>
internal static class BankTables
{
    /// <summary>The journal that is written and projected.</summary>
    internal static JournalTables Own { get; } = Named("bank_journal");

    /// <summary>Another one.</summary>
    internal static JournalTables Named(string name) => JournalTables.Default with { JournalTable = name, TagTable = $"{name}_tags" };
}
