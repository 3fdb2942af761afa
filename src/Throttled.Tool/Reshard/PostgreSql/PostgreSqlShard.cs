using Npgsql;
using Throttled.Journal.PostgreSql;

namespace Throttled.Tool.Reshard;

internal sealed class PostgreSqlShard : IShardDatabase
{
    private readonly PostgreSqlSource _source;
    private readonly JournalTables _tables;

    private PostgreSqlShard(string name, PostgreSqlSource source, JournalTables tables) => (Name, _source, _tables) = (name, source, tables);

    public string Name { get; }

    /// <exception cref="ArgumentException">The connection string cannot be used, or a name is empty or too long.</exception>
    internal static PostgreSqlShard Open(string connectionString, JournalTables tables)
    {
        new JournalOptions { Tables = tables }.Validate();
        PostgreSqlNames.ThrowIfTooLong(tables);
        // Statements have no time limit, because a large journal takes long. If the string has an Application Name, the one added here replaces it.
        var source = PostgreSqlSource.Parse(FormattableString.Invariant($"{connectionString};Application Name=throttled reshard {Environment.ProcessId}"), commandSeconds: 0);
        var settings = new NpgsqlConnectionStringBuilder(connectionString);
        return new(FormattableString.Invariant($"{settings.Host}:{settings.Port}/{settings.Database}"), source, tables);
    }

    public async Task<string> IdentityAsync(CancellationToken cancellation)
    {
        await using var session = new MoveSession(await ConnectAsync(cancellation), _tables);
        return await session.IdentityAsync(cancellation);
    }

    public async Task<IShardSnapshot> SnapshotAsync(CancellationToken cancellation) =>
        await PostgreSqlSnapshot.OpenAsync(await ConnectAsync(cancellation), _tables, cancellation);

    public async Task<IShardTarget> BeginAsync(CancellationToken cancellation) =>
        await PostgreSqlTarget.OpenAsync(await ConnectAsync(cancellation), _tables, cancellation);

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    private async Task<NpgsqlConnection> ConnectAsync(CancellationToken cancellation)
    {
        try
        {
            return await _source.OpenAsync(cancellation);
        }
        catch (NpgsqlException error)
        {
            throw new ReshardException($"{Name} cannot be reached: {error.Message}", error);
        }
    }
}
