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

    /// <summary>How the handlers write.</summary>
    AccountSql Sql { get; }

    /// <summary>What the settings name.</summary>
    /// <exception cref="CommandException">A connection string cannot be used.</exception>
    internal static IBankDatabase Open(BankSettings settings) =>
        settings.Database == "sqlite" ? new SqliteBank(settings) : new PostgreSqlBank(settings);

    JournalReader OpenReader(JournalOptions options);

    JournalAppender OpenAppender(JournalTables tables);

    /// <summary>Makes the read model's file or schema where it is not there.</summary>
    Task CreateAsync(CancellationToken cancellation);

    /// <summary>How many events a journal has; null where it is not there.</summary>
    Task<long?> CountAsync(JournalTables tables, CancellationToken cancellation);

    /// <summary>Says where the database is and what to do about its error.</summary>
    CommandException Explain(DbException error);
}

/// <summary>The journals of the sample: its own tables, so that none of yours is touched.</summary>
internal static class BankTables
{
    /// <summary>The one that is written and projected.</summary>
    internal static JournalTables Own { get; } = Named("bank_journal");

    /// <summary>Another one.</summary>
    internal static JournalTables Named(string name) => JournalTables.Default with { JournalTable = name, TagTable = $"{name}_tags" };
}
