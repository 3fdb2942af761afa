using System.Data.Common;
using System.Globalization;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>Creates connections: from a connection string, or from a data source of the user.</summary>
internal sealed class SqlServerSource
{
    private const int ConnectSeconds = 10;

    private const string Remedy = "Write it as in \"Server=server;Database=app;User ID=reader;Password=…\".";

    private readonly DbDataSource _dataSource;

    private SqlServerSource(DbDataSource dataSource, int? poolSize) => (_dataSource, PoolSize) = (dataSource, poolSize);

    /// <summary>As <see cref="IJournalDatabase.Address"/>. Never the connection string, which may contain a password.</summary>
    internal string? Address
    {
        get
        {
            var settings = new SqlConnectionStringBuilder(_dataSource.ConnectionString);
            return settings.DataSource.Length == 0 ? null : (settings.InitialCatalog.Length == 0 ? "" : $"database '{settings.InitialCatalog}' on ") + settings.DataSource
                + (settings.UserID.Length == 0 ? "" : $" as user '{settings.UserID}'");
        }
    }

    /// <summary>How many connections the user's pool has; null if there is no limit.</summary>
    internal int? PoolSize { get; }

    /// <exception cref="ArgumentException">The string cannot be parsed, or could read from more than one server.</exception>
    internal static SqlServerSource Parse(string connectionString)
    {
        ArgumentNullException.ThrowIfNull(connectionString);
        var settings = Read(connectionString);
        if (string.IsNullOrWhiteSpace(settings.DataSource))
            throw new ArgumentException($"The connection string has no 'Server'; it must name the server. {Remedy}");
        OneServer(settings);
        // SqlServerSessions keeps the connections. A second pool below it would only hide closed connections.
        settings.Pooling = false;
        settings.Enlist = false;
        settings.MultipleActiveResultSets = false;
        settings.PersistSecurityInfo = false;
        if (!settings.ShouldSerialize("Application Name"))
            settings.ApplicationName = "throttled";
        // 0 means no limit.
        settings.ConnectTimeout = settings.ConnectTimeout == 0 ? ConnectSeconds : Math.Min(settings.ConnectTimeout, ConnectSeconds);
        // The engine does the retries. The driver's own reconnects in the middle of a session would hide that the session broke.
        settings.ConnectRetryCount = 0;
        return new(SqlClientFactory.Instance.CreateDataSource(settings.ConnectionString), poolSize: null);
    }

    /// <exception cref="ArgumentException">The data source is another driver's, or could read from more than one server.</exception>
    internal static SqlServerSource Of(DbDataSource dataSource)
    {
        ArgumentNullException.ThrowIfNull(dataSource);
        // Check the driver first, because another driver's connection string is written differently. Nothing is opened.
        Made(dataSource).Dispose();
        var settings = Read(dataSource.ConnectionString);
        OneServer(settings);
        return new(dataSource, settings.Pooling ? settings.MaxPoolSize : null);
    }

    /// <summary>Whether a data source creates connections of this driver. Opens none; false if the data source cannot create one.</summary>
    internal static bool Makes(DbDataSource dataSource)
    {
        try
        {
            using var connection = dataSource.CreateConnection();
            return connection is SqlConnection;
        }
        catch (Exception)
        {
            return false;
        }
    }

    internal async Task<SqlConnection> OpenAsync(CancellationToken cancellation)
    {
        // The driver gives the reason of a failed connection only in its message, in the UI language. Use English until this method ends.
        CultureInfo.CurrentUICulture = CultureInfo.InvariantCulture;
        try
        {
            return (SqlConnection)await _dataSource.OpenConnectionAsync(cancellation).ConfigureAwait(false);
        }
        // The thread that opens pooled connections may have been started by the application, so this message may be in another language.
        catch (InvalidOperationException error) when (PoolSize is { } size && error is not ObjectDisposedException)
        {
            throw new PoolExhaustedException(size, error);
        }
    }

    private static SqlConnection Made(DbDataSource dataSource) => dataSource.CreateConnection() switch
    {
        SqlConnection connection => connection,
        { } other => throw new ArgumentException(
            $"The data source {dataSource.GetType().FullName} makes a {other.GetType().FullName}; it must make {typeof(SqlConnection).FullName}s."),
    };

    private static SqlConnectionStringBuilder Read(string connectionString)
    {
        try
        {
            var settings = new SqlConnectionStringBuilder(connectionString);
            // The connection string is checked here too: only a connection refuses contradicting settings and some values.
            new SqlConnection(connectionString).Dispose();
            return settings;
        }
        catch (Exception error) when (ConnectionStringErrors.IsUnreadable(error))
        {
            throw ConnectionStringErrors.Refusal(connectionString, new SqlConnectionStringBuilder(), "SQL Server", Remedy, error);
        }
    }

    // A position that was read from one server may be ahead of what another has. A reader that changes servers would skip events.
    private static void OneServer(SqlConnectionStringBuilder settings)
    {
        if (settings.ApplicationIntent == ApplicationIntent.ReadOnly)
            throw new ArgumentException(
                "'Application Intent' is ReadOnly; it must be ReadWrite, because a listener may lead to another replica each time, and positions of one "
                + "are not valid on another. Leave it out; to read from a secondary, name its server.");
    }
}

/// <summary>The user's pool gave no connection in time. It may be smaller than the number of connections that all its users need.</summary>
internal sealed class PoolExhaustedException(int size, Exception inner) : Exception($"'Max Pool Size' is {size}. {inner.Message}", inner);
