using System.Data.Common;
using System.Globalization;
using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>Creates connections: from an internal data source that is configured to read a journal, or from the user's.</summary>
internal sealed class PostgreSqlSource : IAsyncDisposable
{
    private const int ReadBufferBytes = 32 * 1024;
    private const int ConnectSeconds = 10;
    private const int CancelMilliseconds = 10_000;
    private const int KeepAliveSeconds = 30;

    private const string Remedy = "Write it as in \"Host=server;Database=app;Username=reader\".";

    private readonly DbDataSource _dataSource;
    private readonly bool _isOwn;

    private PostgreSqlSource(NpgsqlDataSource dataSource) => (_dataSource, _isOwn) = (dataSource, true);

    private PostgreSqlSource(DbDataSource dataSource, NpgsqlConnectionStringBuilder settings)
    {
        _dataSource = dataSource;
        PoolSize = settings.Pooling ? settings.MaxPoolSize : null;
        LeavesSettings = settings.Pooling && settings.NoResetOnClose;
    }

    /// <summary>
    /// Whether a closed connection passes to another user with the settings that a session made. By default, Npgsql resets a
    /// pooled connection when it is taken next: https://www.npgsql.org/doc/performance.html#pooled-connection-reset
    /// </summary>
    internal bool LeavesSettings { get; }

    internal string ConnectionString => _dataSource.ConnectionString;

    /// <summary>As <see cref="IJournalDatabase.Address"/>. Never the connection string, which may contain a password.</summary>
    internal string? Address
    {
        get
        {
            var settings = new NpgsqlConnectionStringBuilder(ConnectionString);
            if (string.IsNullOrEmpty(settings.Host))
                return null;
            var database = settings.Database ?? settings.Username;
            // Each of several hosts may have its own port.
            var server = settings.Host.Contains(':', StringComparison.Ordinal) || settings.Host.Contains(',', StringComparison.Ordinal)
                ? settings.Host : Invariant($"{settings.Host}:{settings.Port}");
            return (database is null ? "" : $"database '{database}' on ") + server + (settings.Username is { } user ? $" as user '{user}'" : "");
        }
    }

    /// <summary>How many connections the user's pool has; null if there is no limit.</summary>
    internal int? PoolSize { get; }

    /// <param name="connectionString">A connection string of Npgsql.</param>
    /// <param name="commandSeconds">
    /// How long the driver waits for actions that have no timeout of their own, such as preparing a statement (DoStartUserAction in
    /// https://github.com/npgsql/npgsql/blob/v10.0.0/src/Npgsql/Internal/NpgsqlConnector.cs). Null for the value of the connection string.
    /// </param>
    /// <exception cref="ArgumentException">The string cannot be parsed, or could read from more than one server.</exception>
    internal static PostgreSqlSource Parse(string connectionString, int? commandSeconds = null)
    {
        ArgumentNullException.ThrowIfNull(connectionString);
        var settings = Read(connectionString, () => new NpgsqlConnectionStringBuilder(connectionString));
        if (string.IsNullOrWhiteSpace(settings.Host))
            throw new ArgumentException($"The connection string has no 'Host'; it must name the server. {Remedy}");
        OneServer(settings);
        // PostgreSqlSessions keeps the sessions. A second pool below it would only hide closed connections.
        settings.Pooling = false;
        settings.Enlist = false;
        settings.MaxAutoPrepare = 0;
        // The driver's default, 8 KB, has a handful of rows. Reading a page would wake a thread for each of them.
        if (!settings.ContainsKey("Read Buffer Size"))
            settings.ReadBufferSize = ReadBufferBytes;
        if (settings.Port is < 1 or > ushort.MaxValue)
            throw new ArgumentException(Invariant($"'Port' in the connection string is {settings.Port}; it must be from 1 to {ushort.MaxValue}. Leave it out for 5432."));
        settings.ApplicationName ??= "throttled";
        // 0 means no limit.
        settings.Timeout = settings.Timeout == 0 ? ConnectSeconds : Math.Min(settings.Timeout, ConnectSeconds);
        // Detects a peer that disappeared silently. Npgsql's own Keepalive would send statements.
        settings.TcpKeepAlive = true;
        settings.TcpKeepAliveTime = KeepAliveSeconds;
        settings.TcpKeepAliveInterval = KeepAliveSeconds / 3;
        // How long Npgsql waits for the answer to a cancel before it breaks the connection:
        // https://www.npgsql.org/doc/connection-string-parameters.html#timeouts-and-keepalive
        settings.CancellationTimeout = CancelMilliseconds;
        settings.CommandTimeout = commandSeconds ?? settings.CommandTimeout;
        return new(Read(connectionString, () => Build(settings)));
    }

    /// <exception cref="ArgumentException">The data source is another driver's, could read from more than one server, or multiplexes.</exception>
    internal static PostgreSqlSource Of(DbDataSource dataSource)
    {
        ArgumentNullException.ThrowIfNull(dataSource);
        // Check the driver first, because another driver's connection string is written differently. Nothing is opened.
        if (OtherDriver(dataSource) is { } other)
            throw new ArgumentException($"The data source {dataSource.GetType().FullName} makes a {other.FullName}; it must make {typeof(NpgsqlConnection).FullName}s.");
        var settings = new NpgsqlConnectionStringBuilder(dataSource.ConnectionString);
        OneServer(settings);
        if (settings.Multiplexing)
            throw new ArgumentException(
                "'Multiplexing' is true; it must be false, because statements are prepared and cancelled on a connection of "
                + "their own. Give a data source without it.");
        return new(dataSource, settings);
    }

    /// <summary>Whether a data source creates connections of this driver. Opens none; false if the data source cannot create one.</summary>
    internal static bool Makes(DbDataSource dataSource)
    {
        try
        {
            return OtherDriver(dataSource) is null;
        }
        catch (Exception)
        {
            return false;
        }
    }

    internal async ValueTask<NpgsqlConnection> OpenAsync(CancellationToken cancellation) =>
        (NpgsqlConnection)await _dataSource.OpenConnectionAsync(cancellation).ConfigureAwait(false);

    public ValueTask DisposeAsync() => _isOwn ? _dataSource.DisposeAsync() : default;

    // In its metrics, the driver names a source without a name by its connection string, including the password of the client's
    // key. If Npgsql is configured to keep passwords, metrics and activities contain every password.
    private static NpgsqlDataSource Build(NpgsqlConnectionStringBuilder settings)
    {
        settings.PersistSecurityInfo = false;
        return new NpgsqlDataSourceBuilder(settings.ConnectionString) { Name = settings.ApplicationName }.Build();
    }

    private static T Read<T>(string connectionString, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (Exception error) when (ConnectionStringErrors.IsUnreadable(error))
        {
            throw ConnectionStringErrors.Refusal(connectionString, new NpgsqlConnectionStringBuilder(), "PostgreSQL", Remedy, error);
        }
    }

    // The type of its connections; null if it is this driver's.
    private static Type? OtherDriver(DbDataSource dataSource)
    {
        if (dataSource is NpgsqlDataSource)
            return null;
        using var connection = dataSource.CreateConnection();
        return connection is NpgsqlConnection ? null : connection.GetType();
    }

    // A position that was read from one server may be ahead of what another has replayed. A reader that changes servers would skip events.
    private static void OneServer(NpgsqlConnectionStringBuilder settings)
    {
        var hosts = settings.Host?.Split(',').Length ?? 0;
        if (hosts < 2)
            return;
        if (settings.LoadBalanceHosts)
            throw new ArgumentException(Invariant(
                $"'Load Balance Hosts' is true with {hosts} hosts; it must be false, because positions of one server are not valid on another. Leave it out."));
        if (settings.TargetSessionAttributes?.ToUpperInvariant() is not ("PRIMARY" or "READ-WRITE"))
        {
            throw new ArgumentException(Invariant(
                $"'Target Session Attributes' is {settings.TargetSessionAttributes ?? "any"} with {hosts} hosts; it must be primary or read-write, because positions of one server are not valid on another. Set it to primary in the connection string, not by WithTargetSession, which the reader cannot see; or name one host."));
        }
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
