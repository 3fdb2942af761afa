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
    private readonly ImmutableDictionary<string, DbDataSource> _dataSources;

    /// <summary>No data source yet.</summary>
    public ThrottledReadJournalSetup()
        : this(ImmutableDictionary<string, DbDataSource>.Empty)
    {
    }

    private ThrottledReadJournalSetup(ImmutableDictionary<string, DbDataSource> dataSources) => _dataSources = dataSources;

    /// <summary>The same with a data source for a read journal; <c>connection-string</c> is not used there.</summary>
    /// <param name="pluginId">The path of the read journal's section: <see cref="ThrottledReadJournal.Identifier"/>, or that of another one.</param>
    /// <param name="dataSource">
    /// Where connections come from: on PostgreSQL, an Npgsql data source. It is not disposed. Its pool should have room for the permits and
    /// two connections more.
    /// </param>
    public ThrottledReadJournalSetup WithDataSource(string pluginId, DbDataSource dataSource)
    {
        ArgumentException.ThrowIfNullOrEmpty(pluginId);
        ArgumentNullException.ThrowIfNull(dataSource);
        return new(_dataSources.SetItem(pluginId, dataSource));
    }

    internal DbDataSource? DataSourceOf(string pluginId) => _dataSources.GetValueOrDefault(pluginId);
}
