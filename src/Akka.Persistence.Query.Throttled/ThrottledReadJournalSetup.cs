using System.Collections.Immutable;
using System.Data.Common;
using Akka.Actor.Setup;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// Gives read journals data sources that were made in code, for passwords that change and TLS of your own. Part of an
/// <see cref="ActorSystemSetup"/>. Immutable.
/// </summary>
public sealed class ThrottledReadJournalSetup : Setup
{
    private readonly ImmutableDictionary<string, IReadOnlyList<DbDataSource>> _dataSources;

    /// <summary>No data source yet.</summary>
    public ThrottledReadJournalSetup()
        : this(ImmutableDictionary<string, IReadOnlyList<DbDataSource>>.Empty)
    {
    }

    private ThrottledReadJournalSetup(ImmutableDictionary<string, IReadOnlyList<DbDataSource>> dataSources) => _dataSources = dataSources;

    /// <summary>The same with a data source for a read journal; <c>connection-string</c> is not used there.</summary>
    /// <param name="pluginId">The path of the read journal's section: <see cref="ThrottledReadJournal.Identifier"/>, or that of another one.</param>
    /// <param name="dataSource">
    /// Where connections come from: on PostgreSQL, an Npgsql data source; on SQL Server, one that makes connections of
    /// Microsoft.Data.SqlClient, as <c>SqlClientFactory.Instance.CreateDataSource</c> does. It is not disposed. Its pool should have room for
    /// the permits and two connections more.
    /// </param>
    public ThrottledReadJournalSetup WithDataSource(string pluginId, DbDataSource dataSource)
    {
        ArgumentException.ThrowIfNullOrEmpty(pluginId);
        ArgumentNullException.ThrowIfNull(dataSource);
        return new(_dataSources.SetItem(pluginId, [dataSource]));
    }

    /// <summary>The same with a data source for each shard of a sharded journal; <c>shards</c> and the write plugin's connection strings are not used there.</summary>
    /// <param name="pluginId">The path of the read journal's section.</param>
    /// <param name="dataSources">
    /// Where the connections to each shard come from, in the order of the shards: as many as the write plugin has shards or <c>slices</c> has ranges. They
    /// are not disposed. The pool of each should have room for the permits and two connections more.
    /// </param>
    public ThrottledReadJournalSetup WithDataSources(string pluginId, IEnumerable<DbDataSource> dataSources)
    {
        ArgumentException.ThrowIfNullOrEmpty(pluginId);
        ArgumentNullException.ThrowIfNull(dataSources);
        ImmutableArray<DbDataSource> all = [.. dataSources];
        return all.IsEmpty || all.Contains(null!)
            ? throw new ArgumentException("There must be a data source for each shard.", nameof(dataSources))
            : new(_dataSources.SetItem(pluginId, all));
    }

    internal IReadOnlyList<DbDataSource> DataSourcesOf(string pluginId) => _dataSources.GetValueOrDefault(pluginId) ?? [];
}
