using System.Data.Common;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using LinqToDB;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>
/// Throttled read journals for Akka.Hosting, and the journal that is divided among several write plugins. Option values are
/// checked when the actor system is built. Settings that need the whole configuration (the connection string, the write plugin)
/// are checked when the actor system has started, by opening the read journal. <c>IHost.StartAsync</c> throws in both cases.
/// The database need not be up.
/// </summary>
public static class ThrottledHostingExtensions
{
    /// <summary>Adds a read journal with its own database.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="connectionString">The connection string, for the database's driver.</param>
    /// <param name="providerName">
    /// <c>PostgreSQL</c>, <c>SqlServer</c> or <c>SQLite</c>, also with a version or driver after a dot, as in
    /// <c>PostgreSQL.15</c>.
    /// </param>
    /// <param name="configure">Sets further options; none by default.</param>
    /// <param name="journalBuilder">Adds what is not a setting, such as a health check; nothing by default.</param>
    /// <exception cref="ArgumentException">A text is null or empty.</exception>
    /// <exception cref="ConfigurationException">An option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(
        this AkkaConfigurationBuilder builder,
        string connectionString,
        string providerName,
        Action<ThrottledReadJournalOptions>? configure = null,
        Action<ThrottledReadJournalBuilder>? journalBuilder = null)
    {
        if (string.IsNullOrEmpty(connectionString))
            throw new ArgumentException(
                $"'{nameof(connectionString)}' is null or empty. Pass the journal's connection string. If it comes from the configuration, check its key.", nameof(connectionString));
        ArgumentException.ThrowIfNullOrEmpty(providerName);
        return builder.With(new() { ConnectionString = connectionString, ProviderName = providerName }, configure, journalBuilder);
    }

    /// <summary>
    /// Adds a read journal on a data source made in code, for passwords that change and for your own TLS settings. If neither
    /// options nor HOCON set tables and tag mode, they come from the write plugin. For this, the write plugin must be a known
    /// one and write to the same kind of database.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="dataSource">
    /// An <c>NpgsqlDataSource</c>, or one that creates <c>NpgsqlConnection</c>s or <c>SqlConnection</c>s of
    /// Microsoft.Data.SqlClient. The journal does not dispose it. Its pool should have room for the permits and two more
    /// connections.
    /// </param>
    /// <param name="configure">Sets further options; none by default.</param>
    /// <param name="journalBuilder">Adds what is not a setting, such as a health check; nothing by default.</param>
    /// <exception cref="ConfigurationException">An option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(
        this AkkaConfigurationBuilder builder,
        DbDataSource dataSource,
        Action<ThrottledReadJournalOptions>? configure = null,
        Action<ThrottledReadJournalBuilder>? journalBuilder = null)
    {
        ArgumentNullException.ThrowIfNull(dataSource);
        return builder.With(new() { DataSource = dataSource }, configure, journalBuilder);
    }

    /// <summary>
    /// Adds a read journal on the database of linq2db's options, which Akka.Persistence.Sql also accepts. You do not need this
    /// call beside <c>WithSqlPersistence(dataOptions)</c>: a read journal without its own database uses those options. If
    /// neither options nor HOCON set tables and tag mode, they come from the write plugin, as with a data source.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="dataOptions">
    /// They must name a provider (<c>UseProvider</c>, or <c>UseDataProvider</c>) and a connection string or a connection
    /// factory. Connection interceptors are called on PostgreSQL and SQL Server. Retry policy, command timeout and other
    /// interceptors are not used; the log names them.
    /// </param>
    /// <param name="configure">Sets further options; none by default.</param>
    /// <param name="journalBuilder">Adds what is not a setting, such as a health check; nothing by default.</param>
    /// <exception cref="ConfigurationException">
    /// The read journal cannot use <paramref name="dataOptions"/>, or another option is wrong; the message names it.
    /// </exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(
        this AkkaConfigurationBuilder builder,
        DataOptions dataOptions,
        Action<ThrottledReadJournalOptions>? configure = null,
        Action<ThrottledReadJournalBuilder>? journalBuilder = null)
    {
        ArgumentNullException.ThrowIfNull(dataOptions);
        return builder.With(new() { DataOptions = dataOptions }, configure, journalBuilder);
    }

    /// <summary>
    /// Adds a read journal for a write plugin. If neither its options nor HOCON name a database, it uses the write plugin's
    /// database, tables and tag mode, also if Akka.Persistence.Sql was given <c>DataOptions</c>. You can add the write plugin
    /// before or after this call.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="configure">Sets options; none by default.</param>
    /// <param name="journalBuilder">Adds what is not a setting, such as a health check; nothing by default.</param>
    /// <exception cref="ConfigurationException">An option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(
        this AkkaConfigurationBuilder builder,
        Action<ThrottledReadJournalOptions>? configure = null,
        Action<ThrottledReadJournalBuilder>? journalBuilder = null) => builder.With(new(), configure, journalBuilder);

    /// <summary>Adds a read journal with given options, for example bound from an <c>IConfiguration</c>.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="options">The options. Later changes to them have no effect.</param>
    /// <param name="journalBuilder">Adds what is not a setting, such as a health check; nothing by default.</param>
    /// <exception cref="ConfigurationException">An option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(
        this AkkaConfigurationBuilder builder, ThrottledReadJournalOptions options, Action<ThrottledReadJournalBuilder>? journalBuilder = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(options);
        var section = OptionsValidation.Checked(options);
        var pluginId = options.PluginId;
        OptionsValidation.AddDatabases(builder.Setup(), options);
        journalBuilder?.Invoke(new(builder, pluginId));
        // The defaults stay in the plugin. If they were added here, they would win over HOCON that is appended later.
        return builder
            .AddHocon(section, HoconAddMode.Prepend)
            .AddStartup((system, _) => system.ReadJournalFor<ThrottledReadJournal>(pluginId));
    }

    /// <summary>
    /// Makes several write plugins one journal, the application's default. The events of each persistence id are in one of
    /// them. Add each plugin separately, before or after this call, and none as the default journal. A read journal without its
    /// own database reads all of them.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="shards">
    /// The paths of the write plugins, as in <c>akka.persistence.journal.a</c>, in the order of the shards; from 1 to 1,024.
    /// </param>
    /// <param name="slices">
    /// The slices of persistence ids that each shard has, as in <c>0-255</c> and <c>256-1023</c>; by default an equal share. Do
    /// not change slices or shards when the journal has events.
    /// </param>
    /// <param name="journalBuilder">
    /// Adds event adapters to every shard, and a health check of the write journal; nothing by default.
    /// </param>
    /// <remarks>
    /// If a setting is wrong, <c>IHost.StartAsync</c> throws <see cref="ConfigurationException"/> when the actor system has
    /// started.
    /// </remarks>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithShardedJournal(
        this AkkaConfigurationBuilder builder, IEnumerable<string> shards, IEnumerable<string>? slices = null, Action<AkkaPersistenceJournalBuilder>? journalBuilder = null)
    {
        ArgumentNullException.ThrowIfNull(shards);
        return builder.WithShardedJournal(new ShardedJournalOptions { Shards = [.. shards], Slices = slices?.ToArray() }, journalBuilder);
    }

    /// <summary>Makes several write plugins one journal. The options choose its id, and whether it is the application's default.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="options">The options. Later changes to them have no effect.</param>
    /// <param name="journalBuilder">
    /// Adds event adapters to every shard, and a health check of the write journal; nothing by default. If a shard's own
    /// section has an adapter for the same type, the two conflict. Add the adapters of a type in only one of the two places.
    /// </param>
    /// <remarks>
    /// If a setting is wrong, <c>IHost.StartAsync</c> throws <see cref="ConfigurationException"/> when the actor system has
    /// started.
    /// </remarks>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithShardedJournal(
        this AkkaConfigurationBuilder builder, ShardedJournalOptions options, Action<AkkaPersistenceJournalBuilder>? journalBuilder = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(options);
        OptionsValidation.Identifier(options.Identifier, "akka.persistence.journal");
        var (pluginId, shards) = (options.PluginId, options.Shards);
        // The journal marks and probes the database to which the shard's write plugin connects; the plugin's section need not name it.
        builder.Setup();
        builder.WithJournal(options, journalBuilder);
        // The shard's write plugin adapts events, so copy the adapters to its section.
        foreach (var key in (string[])["event-adapters", "event-adapter-bindings"])
        {
            var adapters = builder.Configuration.Value.GetConfig($"{pluginId}.{key}");
            foreach (var shard in adapters is null ? [] : shards)
                builder.AddHocon(adapters!.MoveTo($"{shard}.{key}"), HoconAddMode.Prepend);
        }
        return builder.AddStartup((system, _) => WriteShards.Read(system.Settings.Config, pluginId));
    }

    private static AkkaConfigurationBuilder With(
        this AkkaConfigurationBuilder builder,
        ThrottledReadJournalOptions options,
        Action<ThrottledReadJournalOptions>? configure,
        Action<ThrottledReadJournalBuilder>? journalBuilder)
    {
        configure?.Invoke(options);
        return builder.WithThrottledReadJournal(options, journalBuilder);
    }

    // An actor system keeps one setup of each type, so this one serves all read journals.
    private static ThrottledReadJournalSetup Setup(this AkkaConfigurationBuilder builder)
    {
        var setup = builder.Setups.OfType<ThrottledReadJournalSetup>().LastOrDefault();
        if (setup is null)
            builder.AddSetup(setup = new());
        setup.DataOptionsOfWritePlugin = DataOptionsDatabase.OfWritePlugin;
        return setup;
    }
}
