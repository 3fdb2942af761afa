using System.Data.Common;
using CrushTest.Floor;
using CrushTest.Settings;
using Microsoft.Data.Sqlite;
using Throttled.Journal;
using Throttled.Journal.Sqlite;

namespace CrushTest.Databases;

/// <summary>A SQLite file. Its statements run in this process, so they are counted at the driver instead of by the database.</summary>
internal sealed class SqliteCrush : CrushDatabase
{
    private readonly SqliteSettings _settings;

    internal SqliteCrush(CrushPlace place)
        : base(place)
    {
        SQLitePCL.Batteries_V2.Init();
        _settings = SqliteSettings.Read(place);
    }

    internal override string Name => "SQLite";

    internal override string Place => _settings.Place;

    internal override string ReadersConnection => _settings.Connection;

    protected override string TableExists => $"SELECT count(*) FROM sqlite_schema WHERE name = '{Tables.JournalTable}'";

    protected override IEnumerable<string> Upkeep => ["PRAGMA wal_checkpoint(TRUNCATE)"];

    internal override JournalReader OpenReader(JournalOptions options) =>
        SqliteJournal.OpenReader(_settings.Connection, options with { Tables = Tables });

    internal override JournalAppender OpenAppender() => SqliteJournal.OpenAppender(_settings.Connection, Tables);

    internal override IFloor OpenFloor(FloorPlan plan) => new SqliteFloor(_settings.ForReading, Tables, plan.On(Environment.ProcessorCount));

    internal override CrushException Explain(DbException error) => _settings.Explain(error, Tables);

    protected override DbConnection NewConnection() => new SqliteConnection(_settings.ForWriting);
}
