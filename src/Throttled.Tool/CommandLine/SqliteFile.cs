using System.Data.Common;
using BankAccounts.Settings;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace BankAccounts.Databases;

/// <summary>Which SQLite files they are, and what to do where they cannot be used.</summary>
internal sealed class SqliteSettings
{
    private const string Form = "\"Data Source=accounts.db\"";

    private readonly SqliteConnectionStringBuilder _readModel;
    private readonly SqliteConnectionStringBuilder _journal;

    private SqliteSettings(SqliteConnectionStringBuilder readModel, SqliteConnectionStringBuilder journal) =>
        (_readModel, _journal) = (readModel, journal);

    internal string ReadModel => _readModel.ConnectionString;

    internal string ReadModelFile => _readModel.DataSource;

    internal string Journal => _journal.ConnectionString;

    /// <exception cref="BankException">A connection string names no file that can be written to.</exception>
    internal static SqliteSettings Read(BankSettings settings)
    {
        Batteries_V2.Init();
        return new(
            Parse("--connection", settings.Connection ?? Own("accounts.db")), Parse("--journal", settings.Journal ?? Own("journal.db")));
    }

    /// <summary>A connection string for one of the sample's own files.</summary>
    internal static string Own(string name) => new SqliteConnectionStringBuilder { DataSource = OwnFiles.Path(name) }.ConnectionString;

    internal BankException Explain(DbException error)
    {
        var remedy = (error as SqliteException)?.SqliteErrorCode switch
        {
            raw.SQLITE_NOTADB or raw.SQLITE_CORRUPT => "one of them is no SQLite database, or a broken one. Delete it, or name another.",
            raw.SQLITE_READONLY => "one of them cannot be written to. Make the file and its directory writable, or name another.",
            raw.SQLITE_CANTOPEN => "one of them cannot be opened. Name files in directories that are there and that you may write to.",
            raw.SQLITE_FULL => "the disk is full. Make room, or name files on another disk.",
            raw.SQLITE_BUSY or raw.SQLITE_LOCKED => "another process keeps one of them locked. Wait for its end, or name another.",
            raw.SQLITE_ERROR when error.Message.Contains("no such table", StringComparison.Ordinal) =>
                "there is no such table yet. Run the projection first.",
            _ => "SQLite failed.",
        };
        return new(
            $"--connection names '{Path.GetFullPath(_readModel.DataSource)}' and --journal '{Path.GetFullPath(_journal.DataSource)}'; "
            + $"{remedy} SQLite says: {Sentence.Of(error.Message)}",
            error);
    }

    private static SqliteConnectionStringBuilder Parse(string option, string connection)
    {
        var given = Read(option, connection);
        if (given.DataSource.Length == 0)
            throw new BankException($"{option} has the Data Source ''; it must name a file. Write it as {Form}.");
        if (given.Mode == SqliteOpenMode.Memory || given.DataSource.Contains(":memory:", StringComparison.Ordinal))
            throw new BankException(
                $"{option} has the Data Source '{given.DataSource}', in memory; it must be a file, which all connections share. Write it as {Form}.");
        if (given.Mode == SqliteOpenMode.ReadOnly)
            throw new BankException($"{option} has Mode=ReadOnly; the sample writes to it. Leave Mode out.");
        return given;
    }

    private static SqliteConnectionStringBuilder Read(string option, string connection)
    {
        try
        {
            return new(connection);
        }
        catch (ArgumentException error)
        {
            throw new BankException($"{option} cannot be read: {Sentence.Of(error.Message)} Write it as {Form}.", error);
        }
    }
}
