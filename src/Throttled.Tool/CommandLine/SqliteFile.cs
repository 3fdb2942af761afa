using System.Data.Common;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Throttled.Tool.CommandLine;

/// <summary>A SQLite file that an option names: how to read the connection string, and what errors mean.</summary>
internal static class SqliteFile
{
    private const string Form = "\"Data Source=…\"";

    /// <exception cref="CommandException">The connection string names no file that can be written to.</exception>
    internal static SqliteConnectionStringBuilder Read(string option, string? connection)
    {
        var given = ReadAny(option, connection);
        return given.Mode == SqliteOpenMode.ReadOnly ? throw new CommandException($"{option} has Mode=ReadOnly, but the file is written to. Leave Mode out.") : given;
    }

    /// <summary>As <see cref="Read"/>, for a command that only reads: SQLite would create a missing file.</summary>
    /// <exception cref="CommandException">The connection string names no file that exists.</exception>
    internal static SqliteConnectionStringBuilder ReadExisting(string option, string? connection)
    {
        var given = ReadAny(option, connection);
        return Absence(option, given.DataSource, "the journal's file", "start the write side once") is { } absent ? throw absent : given;
    }

    /// <summary>Says that a file does not exist; null if it does.</summary>
    internal static CommandException? Absence(string option, string file, string what, string remedy)
    {
        if (File.Exists(file))
            return null;
        var wrong = Directory.Exists(file)
            ? $"which is a directory; it must be {what}. Correct Data Source."
            : $"which does not exist; it must be {what}. Correct Data Source, or {remedy}.";
        return new($"{option} names '{Path.GetFullPath(file)}', {wrong}");
    }

    /// <summary>The connection string of a file that the program creates if the user names none.</summary>
    /// <exception cref="CommandException">The folder cannot be created.</exception>
    internal static string Own(string folder, string name)
    {
        var directory = Path.GetFullPath(folder);
        try
        {
            Directory.CreateDirectory(directory);
        }
        catch (Exception error) when (error is UnauthorizedAccessException or IOException)
        {
            throw new CommandException(
                $"--connection is missing, and the default directory '{directory}' cannot be created: {Sentence.Of(error.Message)} "
                + $"Start the program where you may write, or give --connection {Form}.",
                error);
        }
        return new SqliteConnectionStringBuilder { DataSource = Path.Combine(directory, name) }.ConnectionString;
    }

    /// <summary>An error that names the files by their options and says what to do. If a table is missing, <paramref name="tables"/> says what to do.</summary>
    internal static CommandException Explain(DbException error, string tables, params (string Option, string Path)[] files)
    {
        var it = files.Length == 1 ? "it" : "one of them";
        var remedy = (error as SqliteException)?.SqliteErrorCode switch
        {
            raw.SQLITE_NOTADB or raw.SQLITE_CORRUPT => $"{it} is not a SQLite database, or it is damaged. Name another, or restore a backup.",
            raw.SQLITE_READONLY => $"{it} cannot be written to. Make the file and its directory writable, or name another.",
            raw.SQLITE_CANTOPEN => $"{it} cannot be opened. Name a file in an existing directory that you may write to.",
            raw.SQLITE_FULL => "the disk is full. Make room, or name a file on another disk.",
            raw.SQLITE_BUSY or raw.SQLITE_LOCKED => $"another process has locked {it}. Wait until that process ends, or name another.",
            raw.SQLITE_ERROR or raw.SQLITE_CONSTRAINT when error.Message.Contains("table", StringComparison.Ordinal) => tables,
            _ => "SQLite failed.",
        };
        var names = string.Join(" and ", files.Select(file => $"{file.Option} is '{(IsUri(file.Path) ? file.Path : Path.GetFullPath(file.Path))}'"));
        return new($"{names}; {remedy} SQLite says: {Sentence.Of(error.Message)}", error);
    }

    private static SqliteConnectionStringBuilder ReadAny(string option, string? connection)
    {
        Batteries_V2.Init();
        if (string.IsNullOrWhiteSpace(connection))
            throw new CommandException($"{option} is missing; --database sqlite needs it. Give {Form}.");
        var given = Parse(option, connection);
        if (given.DataSource.Length == 0)
            throw new CommandException($"{option} has the Data Source ''; it must name a file. Write it as {Form}.");
        if (IsMemory(given))
            throw new CommandException(
                $"{option} has the Data Source '{given.DataSource}', in memory; it must be a file, which all connections share. Write it as {Form}.");
        return given;
    }

    private static bool IsUri(string source) => source.StartsWith("file:", StringComparison.OrdinalIgnoreCase);

    private static bool IsMemory(SqliteConnectionStringBuilder given) =>
        given.Mode == SqliteOpenMode.Memory || given.DataSource.Contains(":memory:", StringComparison.Ordinal)
        || (IsUri(given.DataSource) && given.DataSource.Contains("mode=memory", StringComparison.Ordinal));

    private static SqliteConnectionStringBuilder Parse(string option, string connection)
    {
        try
        {
            return new(connection);
        }
        catch (Exception error) when (error is ArgumentException or FormatException or KeyNotFoundException)
        {
            throw new CommandException($"{option} cannot be read: {Sentence.Of(error.Message)} Write it as {Form}.", error);
        }
    }
}
