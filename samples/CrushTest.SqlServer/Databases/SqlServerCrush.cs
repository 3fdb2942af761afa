using System.Data.Common;
using CrushTest.Databases;
using CrushTest.Floor;
using CrushTest.Settings;
using CrushTest.SqlServer.Floor;
using Microsoft.Data.SqlClient;
using Throttled.Journal;
using Throttled.Journal.SqlServer;

namespace CrushTest.SqlServer.Databases;

/// <summary>A SQL Server. The engine's connections carry a name of their own, by which the server's view of them is counted.</summary>
internal sealed class SqlServerCrush : ICrushDatabase
{
    private const string EngineName = "throttled-crush-engine";

    private readonly SqlServerSettings _settings;

    internal SqlServerCrush(CrushPlace place) => (_settings, Tables) = (SqlServerSettings.Read(place), CrushTables.Of(place));

    internal static CrushKind Kind { get; } = new("sqlserver", "SqlServer.2022", static place => new SqlServerCrush(place));

    public string Name => "SQL Server";

    public string Place => _settings.Place;

    public JournalTables Tables { get; }

    public string ReadersConnection => _settings.Named(EngineName);

    public JournalReader OpenReader(JournalOptions options) =>
        SqlServerJournal.OpenReader(ReadersConnection, options with { Tables = Tables });

    public JournalAppender OpenAppender() => SqlServerJournal.OpenAppender(_settings.Connection, Tables);

    public IFloor OpenFloor(FloorPlan plan) => new SqlServerFloor(
        _settings.Connection, Tables, plan.On(2 * Environment.ProcessorCount));

    public async Task<JournalSize?> SizeAsync(CancellationToken cancellation)
    {
        await using var open = await OpenAsync(cancellation);
        if (await ScalarAsync(open, $"SELECT OBJECT_ID(N'{Tables.JournalTable}', N'U')", cancellation) is DBNull)
            return null;
        return new(
            await NumberAsync(open, $"SELECT COUNT_BIG(*) FROM {Tables.JournalTable}", cancellation),
            await NumberAsync(open, $"SELECT MAX({Tables.SequenceNumberColumn}) FROM {Tables.JournalTable}", cancellation));
    }

    public Task DropAsync(CancellationToken cancellation) =>
        RunAsync($"DROP TABLE IF EXISTS {Tables.JournalTable}, {Tables.TagTable}", cancellation);

    public async Task SettleAsync(CancellationToken cancellation)
    {
        foreach (var statement in new[] { $"UPDATE STATISTICS {Tables.JournalTable}", "CHECKPOINT" })
        {
            try
            {
                await RunAsync(statement, cancellation);
            }
            catch (SqlException error) when (SqlServerSettings.IsAnswer(error) && !cancellation.IsCancellationRequested)
            {
                // A right that not everybody has; without it the first round may pay for it.
            }
        }
    }

    public Task DeletePastAsync(int sequenceNumber, CancellationToken cancellation) => RunAsync(
        $"DELETE FROM {Tables.JournalTable} WHERE {Tables.SequenceNumberColumn} > {sequenceNumber}", cancellation);

    public Task<IStatementCount?> CountStatementsAsync(CancellationToken cancellation) =>
        RequestView.CountAsync(() => OpenAsync(cancellation), EngineName, cancellation);

    public CrushException Explain(DbException error) => _settings.Explain(error, Tables);

    public ValueTask DisposeAsync() => default;

    private Task<SqlConnection> OpenAsync(CancellationToken cancellation) => _settings.OpenAsync(cancellation);

    private async Task RunAsync(string sql, CancellationToken cancellation)
    {
        await using var open = await OpenAsync(cancellation);
        await ScalarAsync(open, sql, cancellation);
    }

    private static async Task<long> NumberAsync(SqlConnection open, string sql, CancellationToken cancellation) =>
        await ScalarAsync(open, sql, cancellation) as long? ?? 0;

    private static async Task<object?> ScalarAsync(SqlConnection open, string sql, CancellationToken cancellation)
    {
        await using var command = new SqlCommand(sql, open) { CommandTimeout = 0 };
        return await command.ExecuteScalarAsync(cancellation);
    }
}
