using System.Data.Common;
using CrushTest.Settings;
using Microsoft.Data.Sqlite;
using SQLitePCL;
using Throttled.Journal;

namespace CrushTest.Databases;

/// <summary>Which SQLite file it is, and what to do where it cannot be used.</summary>
internal sealed class SqliteSettings
{
    private const string Remedy = "Write it as \"Data Source=journal.db\".";

    private readonly SqliteConnectionStringBuilder _given;

    private SqliteSettings(SqliteConnectionStringBuilder given) => _given = given;

    internal string Connection => _given.ConnectionString;

    /// <summary>As the user knows it.</summary>
    internal string Place => IsUri(_given.DataSource) ? _given.DataSource : Path.GetFullPath(_given.DataSource);

    internal string ForReading =>
        new SqliteConnectionStringBuilder(Connection) { Mode = SqliteOpenMode.ReadOnly, Pooling = false }.ConnectionString;

    internal string ForWriting => new SqliteConnectionStringBuilder(Connection) { Pooling = false }.ConnectionString;

    /// <exception cref="CrushException">The connection string names no file that the crush test can write to.</exception>
    internal static SqliteSettings Read(CrushPlace place)
    {
        if (place.Connection is not { } connection)
            return new(new() { DataSource = OwnFile(place) });
        var given = Parse(connection);
        if (given.DataSource.Length == 0)
            throw new CrushException($"--connection has the Data Source ''; it must name a file. {Remedy}");
        if (IsMemory(given))
            throw new CrushException(
                $"--connection has the Data Source '{given.DataSource}', in memory; it must be a file, which all connections share. {Remedy}");
        if (given.Mode == SqliteOpenMode.ReadOnly)
            throw new CrushException("--connection has Mode=ReadOnly; the crush test writes its journal. Leave Mode out.");
        return new(given);
    }

    internal CrushException Explain(DbException error, JournalTables tables)
    {
        var code = (error as SqliteException)?.SqliteErrorCode;
        var remedy = code switch
        {
            raw.SQLITE_NOTADB or raw.SQLITE_CORRUPT => "it is no SQLite database, or a broken one. Delete it, or name another with --connection.",
            raw.SQLITE_READONLY => "it cannot be written to. Make the file and its directory writable, or name another with --connection.",
            raw.SQLITE_CANTOPEN => "it cannot be opened. Name a file in a directory that is there and that you may write to, with --connection.",
            raw.SQLITE_FULL => "its disk is full. Make room, or name a file on another disk with --connection.",
            raw.SQLITE_BUSY or raw.SQLITE_LOCKED => "another process keeps it locked. Wait for its end, or name another with --connection.",
            raw.SQLITE_ERROR or raw.SQLITE_CONSTRAINT when Replaced(error, tables) =>
                "another run replaced the journal in it. Let one run at a time use a file, or name another with --connection.",
            _ => "SQLite failed. Delete the file, or name another with --connection.",
        };
        return new($"The file is '{Place}'; {remedy} SQLite says: {Sentence.Of(error.Message)}", error);
    }

    private static bool IsMemory(SqliteConnectionStringBuilder given) =>
        given.Mode == SqliteOpenMode.Memory
        || given.DataSource == ":memory:"
        || (IsUri(given.DataSource) && (given.DataSource.Contains("mode=memory", StringComparison.Ordinal)
                || given.DataSource.StartsWith("file::memory:", StringComparison.Ordinal)));

    private static bool IsUri(string source) => source.StartsWith("file:", StringComparison.OrdinalIgnoreCase);

    private static bool Replaced(DbException error, JournalTables tables) =>
        error.Message.Contains(tables.JournalTable, StringComparison.Ordinal);

    private static SqliteConnectionStringBuilder Parse(string connection)
    {
        try
        {
            return new(connection);
        }
        catch (ArgumentException error)
        {
            throw new CrushException($"--connection cannot be read: {Sentence.Of(error.Message)} {Remedy}", error);
        }
    }

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
                $"--connection is missing, and the default directory '{directory}' cannot be made: {Sentence.Of(error.Message)} "
                + "Start the crush test where you may write, or give --connection \"Data Source=journal.db\".",
                error);
        }
        return Path.Combine(directory, $"{place.File}.db");
    }
}
