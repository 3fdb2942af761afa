using System.Data.Common;
using BankAccounts.Handlers;
using BankAccounts.Settings;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;
using Throttled.Journal;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Databases;

/// <summary>Two SQLite files, so that the read model's writer does not wait for the journal's writer.</summary>
internal sealed class SqliteBank : IBankDatabase
{
    private readonly SqliteConnectionStringBuilder _readModelFile;
    private readonly SqliteConnectionStringBuilder _journalFile;
    private readonly DbDataSource _journal;

    internal SqliteBank(BankSettings settings)
    {
        _readModelFile = SqliteFile.Read("--connection", settings.Connection ?? SqliteFile.Own(BankOptions.Folder, "accounts.db"));
        _journalFile = SqliteFile.Read("--journal", settings.Journal ?? SqliteFile.Own(BankOptions.Folder, "journal.db"));
        Source = SqliteFactory.Instance.CreateDataSource(_readModelFile.ConnectionString);
        _journal = SqliteFactory.Instance.CreateDataSource(_journalFile.ConnectionString);
        ReadModel = ReadModelDatabase.Sqlite(Source);
    }

    public DbDataSource Source { get; }

    public ReadModelDatabase ReadModel { get; }

    public AccountSql Sql { get; } = new SqliteAccounts();

    public JournalReader OpenReader(JournalOptions options) => SqliteJournal.OpenReader(_journalFile.ConnectionString, options);

    public JournalAppender OpenAppender(JournalTables tables) => SqliteJournal.OpenAppender(_journalFile.ConnectionString, tables);

    // SQLite keeps the mode in the file: https://www.sqlite.org/wal.html
    public Task CreateAsync(CancellationToken cancellation) => Scalar.RunAsync(Source, "PRAGMA journal_mode = WAL", cancellation);

    public async Task<long?> CountAsync(JournalTables tables, CancellationToken cancellation) =>
        await Scalar.ReadAsync(_journal, $"SELECT name FROM sqlite_schema WHERE name = '{tables.JournalTable}'", cancellation) is null
            ? null
            : (long?)await Scalar.ReadAsync(_journal, $"SELECT count(*) FROM {tables.JournalTable}", cancellation);

    public CommandException Explain(DbException error) =>
        SqliteFile.Explain(error, IBankDatabase.NoTables, ("--connection", _readModelFile.DataSource), ("--journal", _journalFile.DataSource));

    public async ValueTask DisposeAsync()
    {
        await Source.DisposeAsync();
        await _journal.DisposeAsync();
    }
}
