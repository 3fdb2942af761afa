using System.Data.Common;
using System.Data;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Sql.Config;
using LinqToDB.Data;
using LinqToDB.Interceptors;
using LinqToDB;
using ProviderName = Akka.Persistence.Query.Throttled.Settings.ProviderName;

namespace Akka.Persistence.Query.Throttled.Hosting.Configuration;

/// <summary>Translates linq2db's options into the plugin's settings. Opens no connection.</summary>
internal sealed class DataOptionsDatabase(DataOptions options, string pluginId)
{
    private readonly string _name = $"DataOptions of {pluginId}";
    private readonly ConnectionOptions _connection = options.ConnectionOptions;

    /// <summary>
    /// The database of a write plugin of Akka.Persistence.Sql that got its database as <c>DataOptions</c>; null if its section
    /// names the database.
    /// </summary>
    /// <exception cref="ConfigurationException">The read journal cannot use the options.</exception>
    internal static GivenDatabase? OfWritePlugin(ActorSystem system, string writePlugin)
    {
        var setups = system.Settings.Setup;
        if (setups.Get<MultiDataOptionsSetup>().Value is { } each && each.TryGetDataOptionsFor(writePlugin, out var options) && options is not null)
            return new DataOptionsDatabase(options, writePlugin).Given();
        return setups.Get<DataOptionsSetup>().HasValue
            ? throw new ConfigurationException(
                $"The write plugin '{writePlugin}' uses a DataOptionsSetup, which does not expose its DataOptions. Pass the DataOptions to WithThrottledReadJournal too, "
                + "or give them to the write plugin in a MultiDataOptionsSetup.")
            : null;
    }

    /// <exception cref="ConfigurationException">The read journal cannot use the options.</exception>
    internal GivenDatabase Given()
    {
        if (_connection.DbConnection is not null || _connection.DbTransaction is not null)
            throw Invalid("has one connection or transaction, which queries cannot share. Use UseConnectionString or UseConnectionFactory instead.");
        var provider = Provider ?? throw Invalid(
            "names no provider, so linq2db would have to connect to detect it. Name it, for example UseProvider(ProviderName.PostgreSQL15).");
        var kind = ProviderName.Of(provider) ?? throw Invalid($"has the provider {provider}, which this version does not read. {Supported}");
        InheritedSetting setting = new("provider-name", provider, _name);
        IConnectionInterceptor[] hooks = [.. Interceptors.OfType<IConnectionInterceptor>()];
        if (kind != DatabaseKind.Sqlite && (_connection.ConnectionFactory is not null || hooks.Length > 0))
            return new(new DataOptionsSource(NewConnection(kind), hooks), setting) { Unused = Unused(hooks) };
        var text = _connection.ConnectionFactory is { } factory ? MadeBy(factory) : ConnectionString;
        return new(null, setting, new("connection-string", text, _name)) { Unused = Unused([]) };
    }

    /// <summary>The parts of the options that the read journal does not use.</summary>
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
        (null, { } configuration) => DataConnection.TryGetConnectionString(configuration) ?? throw Invalid(
            $"names the configuration \"{configuration}\", which linq2db does not know. Add it with DataConnection.AddConfiguration, or use UseConnectionString."),
        _ => throw Invalid("names no database. Use UseConnectionString or UseConnectionFactory."),
    };

    // The engine reads SQLite below its driver, so it needs only the connection string.
    private string MadeBy(Func<DataOptions, DbConnection> factory)
    {
        using var connection = factory(options);
        return connection.ConnectionString;
    }

    private ConfigurationException Invalid(string why) => new($"'{_name}' {why}");
}

/// <summary>Opens connections as linq2db does, with the user's factory and connection interceptors.</summary>
internal sealed class DataOptionsSource(Func<DbConnection> connect, IReadOnlyList<IConnectionInterceptor> hooks) : DbDataSource
{
    private string? _connectionString;

    public override string ConnectionString
    {
        get
        {
            if (_connectionString is null)
            {
                using var connection = connect();
                _connectionString = connection.ConnectionString;
            }
            return _connectionString;
        }
    }

    protected override DbConnection CreateDbConnection() => connect();

    protected override async ValueTask<DbConnection> OpenDbConnectionAsync(CancellationToken cancellationToken = default)
    {
        var connection = connect();
        try
        {
            // A factory may return an open connection. Like linq2db, call no interceptor then.
            if (connection.State == ConnectionState.Open)
                return connection;
            foreach (var hook in hooks)
                await hook.ConnectionOpeningAsync(default, connection, cancellationToken).ConfigureAwait(false);
            await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
            foreach (var hook in hooks)
                await hook.ConnectionOpenedAsync(default, connection, cancellationToken).ConfigureAwait(false);
            return connection;
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
