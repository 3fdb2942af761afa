using System.Data.Common;
using DigitalTwins.Settings;
using Npgsql;
using Throttled.Journal;
using Throttled.Journal.PostgreSql;
using Throttled.Testing;
using Throttled.Tool.CommandLine;

namespace DigitalTwins.Databases;

/// <summary>The servers: one for each part of the journal, and one for the read model. They are removed with all data at the end.</summary>
internal sealed class TwinDatabases : IDisposable
{
    // For each of up to 16 nodes: its write plugin's pool, and the reads of its read journal.
    private const int ConnectionsOfNode = 30;
    private const int OtherConnections = 40;

    private readonly PostgreSqlServers _servers;

    private TwinDatabases(PostgreSqlServers servers, int journals)
    {
        _servers = servers;
        Journals = [.. servers.All.Take(journals).Select(server => server.CreateDatabase())];
        ReadModel = servers.All[journals].CreateDatabase();
    }

    /// <summary>The connection strings of the journal, in the order of the shards.</summary>
    internal string[] Journals { get; }

    /// <summary>The connection string of the read model.</summary>
    internal string ReadModel { get; }

    /// <exception cref="CommandException">There are no programs of PostgreSQL, or a server did not start.</exception>
    internal static async Task<TwinDatabases> StartAsync(TwinsSettings settings, CancellationToken cancellation)
    {
        if (!PostgreSqlServer.IsInstalled)
            throw new CommandException("PostgreSQL's server is not installed; this sample starts its own. Install it, or set PATH to its pg_config.");
        TwinDatabases databases;
        try
        {
            databases = new(new(settings.Databases + 1, (settings.Nodes * ConnectionsOfNode) + settings.Writers + OtherConnections), settings.Databases);
        }
        catch (InvalidOperationException error)
        {
            throw new CommandException($"A PostgreSQL server did not start: {Sentence.Of(error.Message)} Give fewer --databases, or free memory.", error);
        }
        try
        {
            await databases.CreateAsync(settings.CommitDelay, cancellation);
            return databases;
        }
        catch
        {
            databases.Dispose();
            throw;
        }
    }

    public void Dispose() => _servers.Dispose();

    private async Task CreateAsync(TimeSpan commitDelay, CancellationToken cancellation)
    {
        await using (var appender = ShardedJournal.OpenAppender(Journals, PostgreSqlJournal.OpenAppender))
            await appender.CreateAsync(cancellation);
        if (commitDelay == TimeSpan.Zero)
            return;
        foreach (var journal in Journals)
        {
            await using DbDataSource source = NpgsqlDataSource.Create(journal);
            await using var command = source.CreateCommand(SlowCommit.Sql(commitDelay));
            await command.ExecuteNonQueryAsync(cancellation);
        }
    }
}
