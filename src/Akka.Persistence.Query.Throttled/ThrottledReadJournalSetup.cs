using System.Data.Common;
using Akka.Actor;
using Akka.Actor.Setup;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// Gives read journals data sources that were made in code, for passwords that change and TLS of your own. Part of an
/// <see cref="ActorSystemSetup"/>; one holds those of all read journals. What is added once the actor system has started counts for read journals that
/// are not open yet. Not thread-safe.
/// </summary>
public sealed class ThrottledReadJournalSetup : Setup
{
    private readonly Dictionary<string, IReadOnlyList<GivenDatabase>> _databases = [];

    /// <summary>Adds a data source for a read journal, in the place of one that was added before; <c>connection-string</c> is not used there.</summary>
    /// <param name="pluginId">The path of the read journal's section: <see cref="ThrottledReadJournal.Identifier"/>, or that of another one.</param>
    /// <param name="dataSource">
    /// Where connections come from: on PostgreSQL, an Npgsql data source, or one that makes connections of Npgsql; on SQL Server, one that makes connections
    /// of Microsoft.Data.SqlClient, as <c>SqlClientFactory.Instance.CreateDataSource</c> does. It is not disposed. Its pool should have room for
    /// the permits and two connections more.
    /// </param>
    /// <returns>This setup.</returns>
    public ThrottledReadJournalSetup WithDataSource(string pluginId, DbDataSource dataSource)
    {
        ArgumentNullException.ThrowIfNull(dataSource);
        return WithDataSources(pluginId, [dataSource]);
    }

    /// <summary>Adds a data source for each shard of a sharded journal; <c>shards</c> and the write plugin's connection strings are not used there.</summary>
    /// <param name="pluginId">The path of the read journal's section.</param>
    /// <param name="dataSources">
    /// Where the connections to each shard come from, in the order of the shards: as many as the write plugin has shards or <c>slices</c> has ranges. They
    /// are not disposed. The pool of each should have room for the permits and two connections more.
    /// </param>
    /// <returns>This setup.</returns>
    public ThrottledReadJournalSetup WithDataSources(string pluginId, IEnumerable<DbDataSource> dataSources)
    {
        ArgumentException.ThrowIfNullOrEmpty(pluginId);
        ArgumentNullException.ThrowIfNull(dataSources);
        GivenDatabase[] all = [.. dataSources.Select(each => new GivenDatabase(each))];
        if (all.Length == 0 || all.Any(each => each.DataSource is null))
            throw new ArgumentException("There must be a data source for each shard.", nameof(dataSources));
        _databases[pluginId] = all;
        return this;
    }

    /// <summary>Finds the database of a write plugin that connects by what was given in code: by the actor system and the plugin's id. Null where it does not.</summary>
    internal Func<ActorSystem, string, GivenDatabase?> DatabaseOfWritePlugin { get; set; } = (_, _) => null;

    internal void Add(string pluginId, GivenDatabase database) => _databases[pluginId] = [database];

    internal IReadOnlyList<GivenDatabase> DatabasesOf(string pluginId) => _databases.GetValueOrDefault(pluginId) ?? [];
}
