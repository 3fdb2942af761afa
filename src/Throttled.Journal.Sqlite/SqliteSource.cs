using Microsoft.Data.Sqlite;
using Throttled.Journal.Database;

namespace Throttled.Journal.Sqlite;

/// <summary>Where the journal is, and how its connections are opened.</summary>
internal sealed class SqliteSource
{
    private const string Remedy = "Name a file, as in \"Data Source=journal.db\".";

    private readonly SqliteConnectionStringBuilder _settings;

    private SqliteSource(SqliteConnectionStringBuilder settings, string? file) => (_settings, File) = (settings, file);

    /// <summary>The database's file; null in memory.</summary>
    internal string? File { get; }

    /// <summary>Whether the file exists; true in memory.</summary>
    internal bool IsThere => File is null || System.IO.File.Exists(File);

    /// <summary>The name that the user gave.</summary>
    internal string Name => _settings.DataSource;

    internal string ForReading => File is null
        ? new SqliteConnectionStringBuilder(_settings.ConnectionString) { Pooling = false }.ConnectionString
        : new SqliteConnectionStringBuilder(_settings.ConnectionString)
        {
            Mode = SqliteOpenMode.ReadOnly,
            Cache = SqliteCacheMode.Private,
            Pooling = false,
        }.ConnectionString;

    /// <exception cref="ArgumentException">The connection string says that the database is only read.</exception>
    internal string ForWriting => _settings.Mode == SqliteOpenMode.ReadOnly
        ? throw Bad("Mode", nameof(SqliteOpenMode.ReadOnly), "an appender writes. Leave it out.")
        : new SqliteConnectionStringBuilder(_settings.ConnectionString) { Pooling = false }.ConnectionString;

    /// <summary>How long a writer waits for another writer.</summary>
    internal TimeSpan BusyTimeout => TimeSpan.FromSeconds(_settings.DefaultTimeout);

    /// <summary>Refuses an empty file that has a WAL. SQLite would delete the WAL, also when it only reads.</summary>
    /// <exception cref="IOException">The file is empty and has a WAL.</exception>
    // pagerOpenWalIfPresent in https://www.sqlite.org/src/file/src/pager.c
    internal void RefuseEmptied()
    {
        if (File is { } file && new FileInfo(file) is { Exists: true, Length: 0 } && System.IO.File.Exists($"{file}-wal"))
            throw new IOException($"The journal's file '{Name}' is empty, but its '-wal' file is there. Restore the file.");
    }

    /// <exception cref="ArgumentException">The connection string names no database that several connections can share.</exception>
    internal static SqliteSource Parse(string connectionString)
    {
        ArgumentNullException.ThrowIfNull(connectionString);
        var settings = Read(connectionString);
        if (settings.DataSource.Length == 0)
            throw Bad("Data Source", "", $"SQLite would make a database of its own for each connection. {Remedy}");
        var memory = IsMemory(settings);
        if (memory && !IsShared(settings))
            throw Bad("Data Source", settings.DataSource,
                "each connection would have an empty database of its own in memory. "
                + "Name a file, or share one with \"Data Source=journal;Mode=Memory;Cache=Shared\".");
        return new(settings, memory ? null : FileOf(settings.DataSource));
    }

    private static SqliteConnectionStringBuilder Read(string connectionString)
    {
        try
        {
            return new(connectionString);
        }
        catch (Exception error) when (ConnectionStringErrors.IsUnreadable(error))
        {
            throw ConnectionStringErrors.Refusal(connectionString, new SqliteConnectionStringBuilder(), "SQLite", Remedy, error);
        }
    }

    private static bool IsMemory(SqliteConnectionStringBuilder settings) =>
        settings.Mode == SqliteOpenMode.Memory
        || settings.DataSource == ":memory:"
        || (IsUri(settings.DataSource)
            && (settings.DataSource.Contains("mode=memory", StringComparison.Ordinal)
                || settings.DataSource.StartsWith("file::memory:", StringComparison.Ordinal)));

    // SQLite never shares ":memory:", whatever the cache mode is. It shares only memory that has a name or a URI.
    private static bool IsShared(SqliteConnectionStringBuilder settings) =>
        settings.DataSource != ":memory:"
        && (settings.Cache == SqliteCacheMode.Shared || settings.DataSource.Contains("cache=shared", StringComparison.Ordinal));

    private static bool IsUri(string name) => name.StartsWith("file:", StringComparison.OrdinalIgnoreCase);

    private static string FileOf(string name)
    {
        const string anchor = "|DataDirectory|";
        var directory = AppDomain.CurrentDomain.GetData("DataDirectory") as string ?? "";
        if (IsUri(name))
            return Path.Combine(directory, FileOfUri(name));
        return name.StartsWith(anchor, StringComparison.OrdinalIgnoreCase)
            ? Path.Combine(directory, name[anchor.Length..].TrimStart('/', '\\'))
            : Path.Combine(directory, name);
    }

    private static string FileOfUri(string uri)
    {
        var path = uri["file:".Length..].Split('?', '#')[0];
        if (path.StartsWith("//", StringComparison.Ordinal))
            path = path[Math.Max(path.IndexOf('/', 2), 0)..];
        return Uri.UnescapeDataString(path);
    }

    private static ArgumentException Bad(string setting, string value, string why) => new($"'{setting}' in the connection string is \"{value}\": {why}");
}
