using System.Data.Common;
using CrushTest.Floor;
using CrushTest.Settings;
using Microsoft.Data.Sqlite;
using Throttled.Journal;
using Throttled.Journal.Sqlite;

namespace CrushTest.Databases;

/// <summary>A SQLite file. Its statements run in this process, so they are counted at the driver's door instead of by the database.</summary>
internal sealed class SqliteCrush : ICrushDatabase
{
    private readonly SqliteSettings _settings;

    internal SqliteCrush(CrushPlace place)
    {
        SQLitePCL.Batteries_V2.Init();
        Tables = CrushTables.Of(place);
        _settings = SqliteSettings.Read(place);
    }

    public string Name => "SQLite";

    public string Place => _settings.Place;

    public JournalTables Tables { get; }

    public string ReadersConnection => _settings.Connection;

    public JournalReader OpenReader(JournalOptions options) =>
        SqliteJournal.OpenReader(_settings.Connection, options with { Tables = Tables });

    public JournalAppender OpenAppender() => SqliteJournal.OpenAppender(_settings.Connection, Tables);

    public IFloor OpenFloor(FloorPlan plan) => new SqliteFloor(
        _settings.ForReading, Tables, plan.On(Environment.ProcessorCount));

    public async Task<JournalSize?> SizeAsync(CancellationToken cancellation)
    {
        await using var open = await OpenAsync(cancellation);
        if (await ScalarAsync(open, $"SELECT count(*) FROM sqlite_schema WHERE name = '{Tables.JournalTable}'", cancellation) == 0)
            return null;
        return new(
            await ScalarAsync(open, $"SELECT count(*) FROM {Tables.JournalTable}", cancellation),
            await ScalarAsync(open, $"SELECT coalesce(max({Tables.SequenceNumberColumn}), 0) FROM {Tables.JournalTable}", cancellation));
    }

    public async Task DropAsync(CancellationToken cancellation)
    {
        await using var open = await OpenAsync(cancellation);
        await ScalarAsync(open, $"DROP TABLE IF EXISTS {Tables.JournalTable}", cancellation);
        await ScalarAsync(open, $"DROP TABLE IF EXISTS {Tables.TagTable}", cancellation);
    }

    public async Task SettleAsync(CancellationToken cancellation)
    {
        await using var open = await OpenAsync(cancellation);
        await ScalarAsync(open, "PRAGMA wal_checkpoint(TRUNCATE)", cancellation);
    }

    public async Task DeletePastAsync(int sequenceNumber, CancellationToken cancellation)
    {
        await using var open = await OpenAsync(cancellation);
        await ScalarAsync(open, $"DELETE FROM {Tables.JournalTable} WHERE {Tables.SequenceNumberColumn} > {sequenceNumber}", cancellation);
    }

    public Task<IStatementCount?> CountStatementsAsync(CancellationToken cancellation) => Task.FromResult<IStatementCount?>(null);

    public CrushException Explain(DbException error) => _settings.Explain(error, Tables);

    public ValueTask DisposeAsync() => default;

    private async Task<SqliteConnection> OpenAsync(CancellationToken cancellation)
    {
        var open = new SqliteConnection(_settings.ForWriting);
        try
        {
            await open.OpenAsync(cancellation);
            return open;
        }
        catch
        {
            await open.DisposeAsync();
            throw;
        }
    }

    private static async Task<long> ScalarAsync(SqliteConnection open, string sql, CancellationToken cancellation)
    {
        await using var command = open.CreateCommand();
        command.CommandText = sql;
        command.CommandTimeout = 0;
        return await command.ExecuteScalarAsync(cancellation) as long? ?? 0;
    }
}
