using System.Data.Common;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>
/// Throttled read journals for Akka.Hosting. The values of the options are checked where the actor system is built, and all else that can be wrong
/// without a database (the connection string, the write plugin) when it has started, by opening the read journal: <c>IHost.StartAsync</c>
/// throws in both cases. The database need not be up.
/// </summary>
public static class ThrottledHostingExtensions
{
    /// <summary>Adds a read journal on a database of its own.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="connectionString">The database, as its driver has it.</param>
    /// <param name="providerName"><c>PostgreSQL</c> or <c>SQLite</c>, also with a version or driver behind a dot, as in <c>PostgreSQL.15</c>.</param>
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
    /// of tables and tag mode comes from the write plugin, where it is known and writes to PostgreSQL.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="dataSource">
    /// An <c>NpgsqlDataSource</c>. It is not disposed. Its pool should have room for the permits and two connections more.
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
        if (options.DataSource is { } dataSource)
            builder.AddDataSource(pluginId, dataSource);
        // The defaults stay in the plugin: here they would go before HOCON that is appended later.
        return builder
            .AddHocon(section, HoconAddMode.Prepend)
            .AddStartup((system, _) => system.ReadJournalFor<ThrottledReadJournal>(pluginId));
    }

    private static AkkaConfigurationBuilder With(
        this AkkaConfigurationBuilder builder, ThrottledReadJournalOptions options, Action<ThrottledReadJournalOptions>? configure)
    {
        configure?.Invoke(options);
        return builder.WithThrottledReadJournal(options);
    }

    // An actor system keeps one setup of each type: this one holds the data sources of all read journals.
    private static void AddDataSource(this AkkaConfigurationBuilder builder, string pluginId, DbDataSource dataSource)
    {
        var before = builder.Setups.OfType<ThrottledReadJournalSetup>().LastOrDefault();
        if (before is not null)
            builder.Setups.Remove(before);
        builder.AddSetup((before ?? new()).WithDataSource(pluginId, dataSource));
    }
}
