using System.Data.Common;
using CrushTest.Floor;
using CrushTest.Settings;
using Microsoft.Data.Sqlite;
using SQLitePCL;
using Throttled.Journal;
using Throttled.Journal.Sqlite;

namespace CrushTest.Databases;

/// <summary>A SQLite file. Its statements run in this process, so they are counted at the driver instead of by the database.</summary>
internal sealed class SqliteCrush : CrushDatabase
{
    private const string Form = "Write it as \"Data Source=journal.db\".";

    private readonly SqliteConnectionStringBuilder _given;

    /// <exception cref="CrushException">The connection string does not name a file that the crush test can write to.</exception>
    internal SqliteCrush(CrushPlace place)
        : base(place)
    {
        Batteries_V2.Init();
        _given = CrushPlace.Read(() => place.Connection is { } connection ? new SqliteConnectionStringBuilder(connection) : new() { DataSource = OwnFile(place) }, Form);
        if (_given.DataSource.Length == 0)
            throw new CrushException($"--connection has the Data Source ''; it must name a file. {Form}");
        if (IsMemory(_given))
            throw new CrushException(
                $"--connection has the Data Source '{_given.DataSource}', in memory; it must be a file, which all connections share. {Form}");
        if (_given.Mode == SqliteOpenMode.ReadOnly)
            throw new CrushException("--connection has Mode=ReadOnly; the crush test writes its journal. Leave Mode out.");
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

    internal override CrushException Explain(DbException error)
    {
        var code = (error as SqliteException)?.SqliteErrorCode;
        var remedy = code switch
        {
            raw.SQLITE_NOTADB or raw.SQLITE_CORRUPT => "it is not a SQLite database, or it is damaged. Delete it, or name another file with --connection.",
            raw.SQLITE_READONLY => "it cannot be written to. Make the file and its directory writable, or name another file with --connection.",
            raw.SQLITE_CANTOPEN => "it cannot be opened. With --connection, name a file in an existing directory that you may write to.",
            raw.SQLITE_FULL => "its disk is full. Make room, or name a file on another disk with --connection.",
            raw.SQLITE_BUSY or raw.SQLITE_LOCKED => "another process has locked it. Wait until that process ends, or name another file with --connection.",
            raw.SQLITE_ERROR or raw.SQLITE_CONSTRAINT when error.Message.Contains(Tables.JournalTable, StringComparison.Ordinal) =>
                "another run replaced the journal in it. Do not use a file in two runs at once; name another with --connection.",
            _ => "SQLite failed. Delete the file, or name another file with --connection.",
        };
        return new($"The file is '{Place}'; {remedy} SQLite says: {Sentence.Of(error.Message)}", error);
    }

    protected override DbConnection NewConnection() =>
        new SqliteConnection(new SqliteConnectionStringBuilder(_given.ConnectionString) { Pooling = false }.ConnectionString);

    private static bool IsMemory(SqliteConnectionStringBuilder given) =>
        given.Mode == SqliteOpenMode.Memory
        || given.DataSource == ":memory:"
        || (IsUri(given.DataSource) && (given.DataSource.Contains("mode=memory", StringComparison.Ordinal)
                || given.DataSource.StartsWith("file::memory:", StringComparison.Ordinal)));

    private static bool IsUri(string source) => source.StartsWith("file:", StringComparison.OrdinalIgnoreCase);

    private static string OwnFile(CrushPlace place)
    {
        var directory = Path.GetFullPath(Path.Combine("artifacts", "crush"));
        try
        {
            Directory.CreateDirectory(directory);
        }
        catch (Exception error) when (error is UnauthorizedAccessException or IOException)
        {
            throw new CrushException(
                $"--connection is missing, and the default directory '{directory}' cannot be created: {Sentence.Of(error.Message)} "
                + "Start the crush test where you may write, or give --connection \"Data Source=journal.db\".",
                error);
        }
        return Path.Combine(directory, $"{place.File}.db");
    }
}
