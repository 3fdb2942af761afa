using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;

namespace Throttled.Tool.Reshard;

internal sealed class SqliteShard : IShardDatabase
{
    private readonly SqliteSource _source;
    private readonly JournalTables _tables;

    private SqliteShard(SqliteSource source, JournalTables tables) => (_source, _tables) = (source, tables);

    public string Name => _source.Name;

    public bool IsThere => _source.File is not { } file || File.Exists(file);

    /// <exception cref="ArgumentException">The connection string cannot be used, or a name is empty.</exception>
    internal static SqliteShard Open(string connectionString, JournalTables tables)
    {
        new JournalOptions { Tables = tables }.Validate();
        return new(SqliteSource.Parse(connectionString), tables);
    }

    // The file need not exist yet.
    public Task<string> IdentityAsync(CancellationToken cancellation) =>
        Task.FromResult(_source.File is { } file ? FilePath.Of(file) : $"memory/{Name}");

    public Task<IShardSnapshot> SnapshotAsync(CancellationToken cancellation) => OpenAsync<IShardSnapshot>(() => new SqliteSnapshot(_source, _tables));

    public Task<IShardTarget> BeginAsync(CancellationToken cancellation) => OpenAsync<IShardTarget>(() => SqliteTarget.Open(_source, _tables));

    public ValueTask DisposeAsync() => default;

    private Task<T> OpenAsync<T>(Func<T> open)
    {
        try
        {
            return Task.FromResult(open());
        }
        catch (Exception error) when (error is SqliteException or IOException)
        {
            throw new ReshardException($"{Name} cannot be opened: {error.Message}", error);
        }
    }
}

/// <summary>The one path of a file that has several names.</summary>
internal static class FilePath
{
    /// <summary>Returns the absolute path, with all links resolved. The file need not exist.</summary>
    /// <exception cref="IOException">The links form a circle.</exception>
    internal static string Of(string file)
    {
        var full = Path.GetFullPath(file);
        if (Path.GetDirectoryName(full) is not { } directory)
            return full;
        var place = Path.Combine(Of(directory), Path.GetFileName(full));
        FileSystemInfo info = Directory.Exists(place) ? new DirectoryInfo(place) : new FileInfo(place);
        return info.LinkTarget is null ? place : Of(info.ResolveLinkTarget(returnFinalTarget: true)!.FullName);
    }
}
