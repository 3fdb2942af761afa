using System.Data.Common;
using CrushTest.Floor;
using CrushTest.Settings;
using Microsoft.Data.SqlClient;
using Throttled.Journal;
using Throttled.Journal.SqlServer;

namespace CrushTest.Databases;

/// <summary>A SQL Server. The readers' connections carry a name of their own, by which the server's view of them is counted.</summary>
internal sealed class SqlServerCrush(CrushPlace place) : CrushDatabase(place)
{
    private const string ReadersName = "throttled-crush-readers";

    private readonly SqlServerSettings _settings = SqlServerSettings.Read(place);

    internal override string Name => "SQL Server";

    internal override string Place => _settings.Place;

    internal override string ReadersConnection => _settings.Named(ReadersName);

    protected override string TableExists => $"SELECT COUNT(OBJECT_ID(N'{Tables.JournalTable}', N'U'))";

    protected override IEnumerable<string> Upkeep => [$"UPDATE STATISTICS {Tables.JournalTable}", "CHECKPOINT"];

    protected override string CountRows => "COUNT_BIG(*)";

    internal override JournalReader OpenReader(JournalOptions options) =>
        SqlServerJournal.OpenReader(ReadersConnection, options with { Tables = Tables });

    internal override JournalAppender OpenAppender() => SqlServerJournal.OpenAppender(_settings.Connection, Tables);

    internal override IFloor OpenFloor(FloorPlan plan) =>
        new SqlServerFloor(_settings.Connection, Tables, plan.On(2 * Environment.ProcessorCount));

    internal override Task<IStatementCount?> CountStatementsAsync(CancellationToken cancellation) =>
        RequestView.CountAsync(async () => (SqlConnection)await OpenAsync(cancellation), ReadersName, cancellation);

    internal override CrushException Explain(DbException error) => _settings.Explain(error, Tables);

    protected override DbConnection NewConnection() => new SqlConnection(_settings.Connection);

    protected override bool IsRefusal(DbException error) => error is SqlException told && SqlServerSettings.IsAnswer(told);
}
