using System.Data.Common;
using BankAccounts.Handlers;
using BankAccounts.Replay.Floor;
using BankAccounts.Settings;
using Npgsql;
using Throttled.Journal;
using Throttled.Journal.PostgreSql;
using Throttled.Projections;

namespace BankAccounts.Databases;

internal sealed class PostgreSqlBank : IBankDatabase
{
    private readonly PostgreSqlSettings _settings;
    private readonly NpgsqlDataSource _source;
    private readonly NpgsqlDataSource _journal;

    internal PostgreSqlBank(PostgreSqlSettings settings)
    {
        _settings = settings;
        _source = NpgsqlDataSource.Create(settings.ReadModel);
        _journal = NpgsqlDataSource.Create(settings.Journal);
        ReadModel = ReadModelDatabase.PostgreSql(_source);
    }

    public string Name => "PostgreSQL";

    public DbDataSource Source => _source;

    public ReadModelDatabase ReadModel { get; }

    public AccountSql Sql { get; } = new PostgreSqlAccounts();

    public JournalReader OpenReader(JournalOptions options) => PostgreSqlJournal.OpenReader(_settings.Journal, options);

    public JournalAppender OpenAppender(JournalTables tables) => PostgreSqlJournal.OpenAppender(_settings.Journal, tables);

    public IFloor OpenFloor(FloorPlan plan) => new PostgreSqlFloor(_journal, _source, plan);

    public async Task CreateAsync(CancellationToken cancellation)
    {
        if (_settings.Schema is { } schema)
            await Scalar.RunAsync(_source, $"CREATE SCHEMA IF NOT EXISTS {schema}", cancellation);
    }

    public async Task ClearAsync(CancellationToken cancellation)
    {
        if (_settings.Schema is { } schema)
            await Scalar.RunAsync(_source, $"DROP SCHEMA IF EXISTS {schema} CASCADE", cancellation);
        await CheckpointAsync(cancellation);
    }

    public async Task<long?> CountAsync(JournalTables tables, CancellationToken cancellation) =>
        await Scalar.ReadAsync(_journal, $"SELECT to_regclass('{tables.JournalTable}')::text", cancellation) is null
            ? null
            : (long?)await Scalar.ReadAsync(_journal, $"SELECT count(*) FROM {tables.JournalTable}", cancellation);

    public Task DropAsync(JournalTables tables, CancellationToken cancellation) =>
        Scalar.RunAsync(_journal, $"DROP TABLE IF EXISTS {tables.JournalTable}, {tables.TagTable}", cancellation);

    public async Task SettleAsync(JournalTables tables, CancellationToken cancellation)
    {
        await Scalar.RunAsync(_journal, $"VACUUM (ANALYZE) {tables.JournalTable}", cancellation);
        await CheckpointAsync(cancellation);
    }

    public BankException Explain(DbException error) => _settings.Explain(error);

    public async ValueTask DisposeAsync()
    {
        await _source.DisposeAsync();
        await _journal.DisposeAsync();
    }

    private async Task CheckpointAsync(CancellationToken cancellation)
    {
        try
        {
            await Scalar.RunAsync(_journal, "CHECKPOINT", cancellation);
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.InsufficientPrivilege)
        {
            // Before PostgreSQL 15 only a superuser may do this. Without it, the checkpoint may slow the next replay.
        }
    }
}
