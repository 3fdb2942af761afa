using System.Data;
using System.Data.Common;
using LinqToDB.Interceptors;

namespace Akka.Persistence.Query.Throttled.Hosting.Configuration;

/// <summary>Opens connections as linq2db does: with the user's factory and connection interceptors.</summary>
/// <param name="connect">Creates a connection.</param>
/// <param name="hooks">Called before and after a connection is opened.</param>
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
