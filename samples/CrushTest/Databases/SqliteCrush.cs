using System.Data.Common;
using CrushTest.Floor;
using CrushTest.Settings;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;
using Throttled.Tool.CommandLine;

namespace CrushTest.Databases;

/// <summary>A SQLite file. Its statements run in this process, so they are counted at the driver instead of by the database.</summary>
internal sealed class SqliteCrush : CrushDatabase
{
    private readonly SqliteConnectionStringBuilder _given;
    private readonly string _option;

    internal SqliteCrush(CrushPlace place)
        : base(place)
    {
        _option = place.Connection is null ? "The file" : "--connection";
        _given = SqliteFile.Read("--connection", place.Connection ?? SqliteFile.Own(Path.Combine("artifacts", "crush"), $"{place.File}.db"));
    }

    internal override string Name => "SQLite";

    internal override string Place => IsUri(_given.DataSource) ? _given.DataSource : Path.GetFullPath(_given.DataSource);

    internal override string ReadersConnection => _given.ConnectionString;

    /// <summary>The connection string of the bare driver.</summary>
    internal string ForReading =>
        new SqliteConnectionStringBuilder(_given.ConnectionString) { Mode = SqliteOpenMode.ReadOnly, Pooling = false }.ConnectionString;

    protected override string TableExists => $"SELECT count(*) FROM sqlite_schema WHERE name = '{Tables.JournalTable}'";

    protected override IEnumerable<string> Upkeep => ["PRAGMA wal_checkpoint(TRUNCATE)"];

    internal override JournalReader OpenReader(JournalOptions options) =>
        SqliteJournal.OpenReader(_given.ConnectionString, options with { Tables = Tables });

    internal override JournalAppender OpenAppender() => SqliteJournal.OpenAppender(_given.ConnectionString, Tables);

    internal override IFloor OpenFloor(FloorPlan plan) => new SqliteFloor(ForReading, Tables, plan.On(Environment.ProcessorCount));

    internal override CommandException Explain(DbException error) => SqliteFile.Explain(error, Replaced, (_option, Place));

    protected override DbConnection NewConnection() =>
        new SqliteConnection(new SqliteConnectionStringBuilder(_given.ConnectionString) { Pooling = false }.ConnectionString);

    private static bool IsUri(string source) => source.StartsWith("file:", StringComparison.OrdinalIgnoreCase);
}
