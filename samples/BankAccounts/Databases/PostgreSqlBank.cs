using System.Data.Common;
using BankAccounts.Handlers;
using BankAccounts.Settings;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Databases;

internal sealed class PostgreSqlBank : IBankDatabase
{
    private readonly NpgsqlConnectionStringBuilder _readModel;
    private readonly string _journalConnection;
    private readonly NpgsqlDataSource _source;
    private readonly NpgsqlDataSource _journal;

    internal PostgreSqlBank(BankSettings settings)
    {
        _readModel = PostgreSqlServer.Read("--connection", settings.Connection);
        _journalConnection = settings.Journal is { } journal ? PostgreSqlServer.Read("--journal", journal).ConnectionString : _readModel.ConnectionString;
        _source = NpgsqlDataSource.Create(_readModel);
        _journal = NpgsqlDataSource.Create(_journalConnection);
        ReadModel = ReadModelDatabase.PostgreSql(_source);
    }

    public DbDataSource Source => _source;

    public ReadModelDatabase ReadModel { get; }

    public AccountSql Sql { get; } = new PostgreSqlAccounts();

    public JournalReader OpenReader(JournalOptions options) => PostgreSqlJournal.OpenReader(_journalConnection, options);

    public JournalAppender OpenAppender(JournalTables tables) => PostgreSqlJournal.OpenAppender(_journalConnection, tables);

    public async Task CreateAsync(CancellationToken cancellation)
    {
        // The first schema of the search path is where tables are made; without one, it is the server's default.
        if (_readModel.SearchPath?.Split(',')[0].Trim() is { } schema)
            await Scalar.RunAsync(_source, $"CREATE SCHEMA IF NOT EXISTS {schema}", cancellation);
    }

    public async Task<long?> CountAsync(JournalTables tables, CancellationToken cancellation) =>
        await Scalar.ReadAsync(_journal, $"SELECT to_regclass('{tables.JournalTable}')::text", cancellation) is null
            ? null
            : (long?)await Scalar.ReadAsync(_journal, $"SELECT count(*) FROM {tables.JournalTable}", cancellation);

    public CommandException Explain(DbException error) => PostgreSqlServer.Explain(error, IBankDatabase.NoTables, _readModel);

    public async ValueTask DisposeAsync()
    {
        await _source.DisposeAsync();
        await _journal.DisposeAsync();
    }
}
