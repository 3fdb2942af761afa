using System.Data.Common;
using BankAccounts.Handlers;
using BankAccounts.Replay.Floor;
using BankAccounts.Settings;
using Microsoft.Data.Sqlite;
using Throttled.Journal;
using Throttled.Journal.Sqlite;
using Throttled.Projections;

namespace BankAccounts.Databases;

/// <summary>Two SQLite files, so that the read model's writer does not wait for the journal's writer.</summary>
internal sealed class SqliteBank : IBankDatabase
{
    private readonly SqliteSettings _settings;
    private readonly DbDataSource _journal;

    internal SqliteBank(SqliteSettings settings)
    {
        _settings = settings;
        Source = SqliteFactory.Instance.CreateDataSource(settings.ReadModel);
        _journal = SqliteFactory.Instance.CreateDataSource(settings.Journal);
        ReadModel = ReadModelDatabase.Sqlite(Source);
    }

    public string Name => "SQLite";

    public DbDataSource Source { get; }

    public ReadModelDatabase ReadModel { get; }

    public AccountSql Sql { get; } = new SqliteAccounts();

    public JournalReader OpenReader(JournalOptions options) => SqliteJournal.OpenReader(_settings.Journal, options);

    public JournalAppender OpenAppender(JournalTables tables) => SqliteJournal.OpenAppender(_settings.Journal, tables);

    public IFloor OpenFloor(FloorPlan plan) => new SqliteFloor(_settings.Journal, _settings.ReadModel, plan);

    // SQLite keeps the mode in the file: https://www.sqlite.org/wal.html
    public Task CreateAsync(CancellationToken cancellation) => Scalar.RunAsync(Source, "PRAGMA journal_mode = WAL", cancellation);

    public Task ClearAsync(CancellationToken cancellation)
    {
        SqliteConnection.ClearAllPools();
        OwnFiles.Delete(_settings.ReadModelFile);
        return Task.CompletedTask;
    }

    public async Task<long?> CountAsync(JournalTables tables, CancellationToken cancellation) =>
        await Scalar.ReadAsync(_journal, $"SELECT name FROM sqlite_schema WHERE name = '{tables.JournalTable}'", cancellation) is null
            ? null
            : (long?)await Scalar.ReadAsync(_journal, $"SELECT count(*) FROM {tables.JournalTable}", cancellation);

    public async Task DropAsync(JournalTables tables, CancellationToken cancellation)
    {
        await Scalar.RunAsync(_journal, $"DROP TABLE IF EXISTS {tables.JournalTable}", cancellation);
        await Scalar.RunAsync(_journal, $"DROP TABLE IF EXISTS {tables.TagTable}", cancellation);
    }

    public Task SettleAsync(JournalTables tables, CancellationToken cancellation) =>
        Scalar.RunAsync(_journal, "PRAGMA wal_checkpoint(TRUNCATE)", cancellation);

    public BankException Explain(DbException error) => _settings.Explain(error);

    public async ValueTask DisposeAsync()
    {
        await Source.DisposeAsync();
        await _journal.DisposeAsync();
    }
}
