using System.Data.Common;
using Akka.Actor;
using Akka.Actor.Setup;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// Gives read journals data sources made in code, for passwords that change and for your own TLS settings. Add one setup to the
/// <see cref="ActorSystemSetup"/>; it serves all read journals. A data source that is added after the actor system has started
/// applies to read journals that are not open yet. Not thread-safe.
/// </summary>
public sealed class ThrottledReadJournalSetup : Setup
{
    private readonly Dictionary<string, IReadOnlyList<GivenDatabase>> _databases = [];

    /// <summary>Adds or replaces the data source of a read journal. The journal then ignores <c>connection-string</c>.</summary>
    /// <param name="pluginId">The path of the read journal's section, for example <see cref="ThrottledReadJournal.Identifier"/>.</param>
    /// <param name="dataSource">
    /// On PostgreSQL, an Npgsql data source, or one that creates Npgsql connections. On SQL Server, one that creates
    /// connections of Microsoft.Data.SqlClient, as <c>SqlClientFactory.Instance.CreateDataSource</c> does. The journal does not
    /// dispose it. Its pool should have room for the permits and two more connections.
    /// </param>
    /// <returns>This setup.</returns>
    public ThrottledReadJournalSetup WithDataSource(string pluginId, DbDataSource dataSource)
    {
        ArgumentNullException.ThrowIfNull(dataSource);
        return WithDataSources(pluginId, [dataSource]);
    }

    /// <summary>
    /// Adds or replaces the data sources of a sharded journal, one for each shard. The journal then ignores <c>shards</c> and
    /// the write plugin's connection strings.
    /// </summary>
    /// <param name="pluginId">The path of the read journal's section.</param>
    /// <param name="dataSources">
    /// The data sources in the order of the shards: as many as the write plugin has shards or <c>slices</c> has ranges. The
    /// journal does not dispose them. The pool of each should have room for the permits and two more connections.
    /// </param>
    /// <returns>This setup.</returns>
    public ThrottledReadJournalSetup WithDataSources(string pluginId, IEnumerable<DbDataSource> dataSources)
    {
        ArgumentException.ThrowIfNullOrEmpty(pluginId);
        ArgumentNullException.ThrowIfNull(dataSources);
        GivenDatabase[] all = [.. dataSources.Select(each => new GivenDatabase(each))];
        if (all.Length == 0 || all.Any(each => each.DataSource is null))
            throw new ArgumentException("The list of data sources is empty or contains null; it must have one data source for each shard.", nameof(dataSources));
        _databases[pluginId] = all;
        return this;
    }

    /// <summary>
    /// Finds the database that code gave to a write plugin, from the actor system and the plugin's id. Returns null if the
    /// plugin's section names the database.
    /// </summary>
    internal Func<ActorSystem, string, GivenDatabase?> DataOptionsOfWritePlugin { get; set; } = (_, _) => null;

    internal void Add(string pluginId, GivenDatabase database) => _databases[pluginId] = [database];

    internal IReadOnlyList<GivenDatabase> DatabasesOf(string pluginId) => _databases.GetValueOrDefault(pluginId) ?? [];
}
