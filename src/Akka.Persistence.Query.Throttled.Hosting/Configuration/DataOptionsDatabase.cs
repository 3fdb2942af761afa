using System.Data.Common;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Sql.Config;
using LinqToDB;
using LinqToDB.Data;
using LinqToDB.Interceptors;
using ProviderName = Akka.Persistence.Query.Throttled.Settings.ProviderName;

namespace Akka.Persistence.Query.Throttled.Hosting.Configuration;

/// <summary>The database to which linq2db's options lead, as the plugin takes it. Nothing is connected to.</summary>
/// <param name="options">The options.</param>
/// <param name="pluginId">Whose they are.</param>
internal sealed class DataOptionsDatabase(DataOptions options, string pluginId)
{
    private readonly string _name = $"DataOptions of {pluginId}";
    private readonly ConnectionOptions _connection = options.ConnectionOptions;

    /// <summary>The database of a write plugin of Akka.Persistence.Sql that connects by such options; null where its section says where it is.</summary>
    /// <param name="system">The actor system.</param>
    /// <param name="writePlugin">The plugin's id.</param>
    /// <exception cref="ConfigurationException">The options do not lead to one that can be read.</exception>
    internal static GivenDatabase? OfWritePlugin(ActorSystem system, string writePlugin)
    {
        var setups = system.Settings.Setup;
        if (setups.Get<MultiDataOptionsSetup>().Value is { } each && each.TryGetDataOptionsFor(writePlugin, out var options) && options is not null)
            return new DataOptionsDatabase(options, writePlugin).Given();
        return setups.Get<DataOptionsSetup>().HasValue
            ? throw new ConfigurationException(
                $"The write plugin '{writePlugin}' connects by a DataOptionsSetup, which does not tell its DataOptions. Give them to WithThrottledReadJournal too, "
                + "or to the write plugin by a MultiDataOptionsSetup.")
            : null;
    }

    /// <exception cref="ConfigurationException">The options do not lead to one that can be read.</exception>
    internal GivenDatabase Given()
    {
        if (_connection.DbConnection is not null || _connection.DbTransaction is not null)
            throw Refused("has one connection or transaction, which queries cannot share. Give UseConnectionString or UseConnectionFactory in its place.");
        var provider = Provider ?? throw Refused(
            "names no provider, so that linq2db would have to connect to find it out. Name it, as in UseProvider(ProviderName.PostgreSQL15).");
        var kind = ProviderName.Of(provider) ?? throw Refused($"has the provider {provider}, which this version does not read. {Supported}");
        LentSetting said = new("provider-name", provider, _name);
        IConnectionInterceptor[] hooks = [.. Interceptors.OfType<IConnectionInterceptor>()];
        if (kind != DatabaseKind.Sqlite && (_connection.ConnectionFactory is not null || hooks.Length > 0))
            return new(new DataOptionsSource(NewConnection(kind), hooks), said) { Unused = Unused(hooks) };
        var text = _connection.ConnectionFactory is { } factory ? MadeBy(factory) : ConnectionString;
        return new(null, said, new("connection-string", text, _name)) { Unused = Unused([]) };
    }

    /// <summary>What of the options does not hold for the read journal.</summary>
    private IReadOnlyList<string> Unused(IEnumerable<IInterceptor> hooks) =>
    [
        .. Interceptors.Except(hooks).Select(each => each.GetType().Name),
        .. options.RetryPolicyOptions is { RetryPolicy: null, Factory: null } ? Array.Empty<string>() : ["RetryPolicy"],
        .. options.DataContextOptions.CommandTimeout is null ? Array.Empty<string>() : ["CommandTimeout"],
    ];

    private string? Provider => _connection.DataProvider?.Name ?? _connection.ProviderName;

    private IEnumerable<IInterceptor> Interceptors =>
        (options.DataContextOptions.Interceptors ?? []).Concat(_connection.ConnectionInterceptor is { } own ? [own] : []);

    private static string Supported => $"It must be one of {ProviderName.PostgreSql}, {ProviderName.SqlServer} and {ProviderName.Sqlite}.";

    private Func<DbConnection> NewConnection(DatabaseKind kind)
    {
        if (_connection.ConnectionFactory is { } factory)
            return () => factory(options);
        var text = ConnectionString;
        return () =>
        {
            var connection = ProviderName.DriverOf(kind).CreateConnection()!;
            connection.ConnectionString = text;
            return connection;
        };
    }

    private string ConnectionString => (_connection.ConnectionString, _connection.ConfigurationString) switch
    {
        ({ } text, _) => text,
        (null, { } configuration) => DataConnection.TryGetConnectionString(configuration) ?? throw Refused(
            $"names the configuration \"{configuration}\", which linq2db does not have. Add it by DataConnection.AddConfiguration, or give UseConnectionString."),
        _ => throw Refused("leads to no database. Give UseConnectionString or UseConnectionFactory."),
    };

    // SQLite is read below its driver: where a connection would lead is enough.
    private string MadeBy(Func<DataOptions, DbConnection> factory)
    {
        using var connection = factory(options);
        return connection.ConnectionString;
    }

    private ConfigurationException Refused(string why) => new($"'{_name}' {why}");
}
