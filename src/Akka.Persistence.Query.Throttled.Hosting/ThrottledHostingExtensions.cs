using System.Data.Common;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using LinqToDB;

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
    /// <param name="journalBuilder">Adds what is no setting, such as a health check; nothing by default.</param>
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
        ArgumentException.ThrowIfNullOrEmpty(connectionString);
        ArgumentException.ThrowIfNullOrEmpty(providerName);
        return builder.With(new() { ConnectionString = connectionString, ProviderName = providerName }, configure, journalBuilder);
    }

    /// <summary>
    /// Adds a read journal on a data source made in code, for passwords that change and TLS of your own. What its options and HOCON do not say
    /// of tables and tag mode comes from the write plugin, where it is known and writes to the same kind of database.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="dataSource">
    /// An <c>NpgsqlDataSource</c>, or one that makes <c>NpgsqlConnection</c>s or <c>SqlConnection</c>s of Microsoft.Data.SqlClient. It is not disposed. Its pool should have
    /// room for the permits and two connections more.
    /// </param>
    /// <param name="configure">Sets further options; none by default.</param>
    /// <param name="journalBuilder">Adds what is no setting, such as a health check; nothing by default.</param>
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
    /// Adds a read journal where linq2db's options lead, as Akka.Persistence.Sql takes them. Beside <c>WithSqlPersistence(dataOptions)</c> it is not needed: a read journal that
    /// says nothing of where its journal is takes them from there. What its options and HOCON do not say of tables and tag mode comes from the write plugin, as with a data source.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="dataOptions">
    /// They name a provider (<c>UseProvider</c>, or <c>UseDataProvider</c>) and a connection string or a connection factory. Connection interceptors are called on PostgreSQL and SQL Server.
    /// What else they say, of retries, time-outs and commands, does not hold here; the log names it.
    /// </param>
    /// <param name="configure">Sets further options; none by default.</param>
    /// <param name="journalBuilder">Adds what is no setting, such as a health check; nothing by default.</param>
    /// <exception cref="ConfigurationException">The options do not lead to a database that can be read, or another option is wrong; the message names it.</exception>
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
    /// Adds a read journal beside a write plugin: where its options and HOCON name no connection, it reads what that plugin writes, from its
    /// database, tables and tag mode, also where Akka.Persistence.Sql was given <c>DataOptions</c>. The write plugin may be added before or after.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="configure">Sets options; none by default.</param>
    /// <param name="journalBuilder">Adds what is no setting, such as a health check; nothing by default.</param>
    /// <exception cref="ConfigurationException">An option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(
        this AkkaConfigurationBuilder builder,
        Action<ThrottledReadJournalOptions>? configure = null,
        Action<ThrottledReadJournalBuilder>? journalBuilder = null) => builder.With(new(), configure, journalBuilder);

    /// <summary>Adds a read journal with options that were made elsewhere, as from an <c>IConfiguration</c>.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="options">The options, as they are now.</param>
    /// <param name="journalBuilder">Adds what is no setting, such as a health check; nothing by default.</param>
    /// <exception cref="ConfigurationException">An option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledReadJournal(
        this AkkaConfigurationBuilder builder, ThrottledReadJournalOptions options, Action<ThrottledReadJournalBuilder>? journalBuilder = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(options);
        var section = OptionsCheck.Checked(options);
        var pluginId = options.PluginId;
        OptionsCheck.AddDatabases(builder.Setup(), options);
        journalBuilder?.Invoke(new(builder, pluginId));
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
    /// <param name="journalBuilder">Adds event adapters, to every shard, and a health check of the write journal; nothing by default.</param>
    /// <remarks>What is wrong with them is refused when the actor system has started: <c>IHost.StartAsync</c> throws <see cref="ConfigurationException"/>.</remarks>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledShardedJournal(
        this AkkaConfigurationBuilder builder, IEnumerable<string> shards, IEnumerable<string>? slices = null, Action<AkkaPersistenceJournalBuilder>? journalBuilder = null)
    {
        ArgumentNullException.ThrowIfNull(shards);
        return builder.WithThrottledShardedJournal(new ThrottledShardedJournalOptions { Shards = [.. shards], Slices = slices?.ToArray() }, journalBuilder);
    }

    /// <summary>Makes several write plugins one journal, with options: which id it has, and whether it is the application's.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="options">The options, as they are now.</param>
    /// <param name="journalBuilder">
    /// Adds event adapters, to every shard, and a health check of the write journal; nothing by default. An adapter of a shard's own for the same type does not go
    /// with these: add the adapters of a type in one of both places.
    /// </param>
    /// <remarks>What is wrong with them is refused when the actor system has started: <c>IHost.StartAsync</c> throws <see cref="ConfigurationException"/>.</remarks>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledShardedJournal(
        this AkkaConfigurationBuilder builder, ThrottledShardedJournalOptions options, Action<AkkaPersistenceJournalBuilder>? journalBuilder = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(options);
        OptionsCheck.Identifier(options.Identifier, "akka.persistence.journal");
        var (pluginId, shards) = (options.PluginId, options.Shards);
        // Each shard is marked and looked at where its write plugin connects to, which its section need not say.
        builder.Setup();
        builder.WithJournal(options, journalBuilder);
        // The journal that writes an event adapts it, and that is its shard's.
        foreach (var key in (string[])["event-adapters", "event-adapter-bindings"])
        {
            var said = builder.Configuration.Value.GetConfig($"{pluginId}.{key}");
            foreach (var shard in said is null ? [] : shards)
                builder.AddHocon(said!.MoveTo($"{shard}.{key}"), HoconAddMode.Prepend);
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

    // An actor system keeps one setup of each type: this one holds what code gives to all read journals.
    private static ThrottledReadJournalSetup Setup(this AkkaConfigurationBuilder builder)
    {
        var setup = builder.Setups.OfType<ThrottledReadJournalSetup>().LastOrDefault();
        if (setup is null)
            builder.AddSetup(setup = new());
        setup.DatabaseOfWritePlugin = DataOptionsDatabase.OfWritePlugin;
        return setup;
    }
}
