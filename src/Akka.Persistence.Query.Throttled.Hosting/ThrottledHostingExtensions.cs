using System.Data.Common;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>
/// Throttled read journals for Akka.Hosting, and the journal that is divided among several write plugins. The values of the options are checked where the actor system is built, and all else that can be wrong
/// without a database (the connection string, the write plugin) when it has started, by opening the read journal: <c>IHost.StartAsync</c>
/// throws in both cases. The database need not be up.
/// </summary>
public static class ThrottledHostingExtensions
{
    /// <summary>Adds a read journal on a database of its own.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="connectionString">The database, as its driver has it.</param>
    /// <param name="providerName"><c>PostgreSQL</c>, <c>SqlServer</c> or <c>SQLite</c>, also with a version or driver behind a dot, as in <c>PostgreSQL.15</c>.</param>
    /// <param name="configure">Sets further options; none by default.</param>
    /// <exception cref="ArgumentException">A text is null or empty.</exception>
    /// <exception cref="ConfigurationException">An option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(
        this AkkaConfigurationBuilder builder, string connectionString, string providerName, Action<ThrottledReadJournalOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(connectionString);
        ArgumentException.ThrowIfNullOrEmpty(providerName);
        return builder.With(new() { ConnectionString = connectionString, ProviderName = providerName }, configure);
    }

    /// <summary>
    /// Adds a read journal on a data source made in code, for passwords that change and TLS of your own. What its options and HOCON do not say
    /// of tables and tag mode comes from the write plugin, where it is known and writes to the same kind of database.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="dataSource">
    /// An <c>NpgsqlDataSource</c>, or one that makes <c>SqlConnection</c>s of Microsoft.Data.SqlClient. It is not disposed. Its pool should have
    /// room for the permits and two connections more.
    /// </param>
    /// <param name="configure">Sets further options; none by default.</param>
    /// <exception cref="ConfigurationException">An option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(
        this AkkaConfigurationBuilder builder, DbDataSource dataSource, Action<ThrottledReadJournalOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(dataSource);
        return builder.With(new() { DataSource = dataSource }, configure);
    }

    /// <summary>
    /// Adds a read journal beside a write plugin: where its options and HOCON name no connection, it reads what that plugin writes, from its
    /// database, tables and tag mode. The write plugin may be added before or after.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="configure">Sets options; none by default.</param>
    /// <exception cref="ConfigurationException">An option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(
        this AkkaConfigurationBuilder builder, Action<ThrottledReadJournalOptions>? configure = null) => builder.With(new(), configure);

    /// <summary>Adds a read journal with options that were made elsewhere, as from an <c>IConfiguration</c>.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="options">The options, as they are now.</param>
    /// <exception cref="ConfigurationException">An option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(this AkkaConfigurationBuilder builder, ThrottledReadJournalOptions options)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(options);
        var section = OptionsCheck.Checked(options);
        var pluginId = options.PluginId;
        if (OptionsCheck.DataSources(options) is { Count: > 0 } dataSources)
            builder.AddDataSources(pluginId, dataSources);
        // The defaults stay in the plugin: here they would go before HOCON that is appended later.
        return builder
            .AddHocon(section, HoconAddMode.Prepend)
            .AddStartup((system, _) => system.ReadJournalFor<ThrottledReadJournal>(pluginId));
    }

    /// <summary>
    /// Makes several write plugins one journal, and that the application's: the events of each persistence id are in one of them. They are added each by itself,
    /// before or after, and none of them as the default one. A read journal without a connection of its own reads them all.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="shards">The paths of the write plugins, as in <c>akka.persistence.journal.a</c>, in the order of the shards; from 1 to 1,024.</param>
    /// <param name="slices">
    /// The slices of persistence ids that each has, as in <c>0-255</c> and <c>256-1023</c>; an equal share where null. Neither may change once there are events.
    /// </param>
    /// <remarks>What is wrong with them is refused when the actor system has started: <c>IHost.StartAsync</c> throws <see cref="ConfigurationException"/>.</remarks>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledShardedJournal(
        this AkkaConfigurationBuilder builder, IEnumerable<string> shards, IEnumerable<string>? slices = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(shards);
        return builder
            .AddHocon(ShardedJournalHocon.Section(shards, slices), HoconAddMode.Prepend)
            .AddStartup((system, _) => WriteShards.Read(system.Settings.Config, WriteShards.Identifier));
    }

    private static AkkaConfigurationBuilder With(
        this AkkaConfigurationBuilder builder, ThrottledReadJournalOptions options, Action<ThrottledReadJournalOptions>? configure)
    {
        configure?.Invoke(options);
        return builder.WithThrottledReadJournal(options);
    }

    // An actor system keeps one setup of each type: this one holds the data sources of all read journals.
    private static void AddDataSources(this AkkaConfigurationBuilder builder, string pluginId, IReadOnlyList<DbDataSource> dataSources)
    {
        var before = builder.Setups.OfType<ThrottledReadJournalSetup>().LastOrDefault();
        if (before is not null)
            builder.Setups.Remove(before);
        builder.AddSetup((before ?? new()).WithDataSources(pluginId, dataSources));
    }
}
