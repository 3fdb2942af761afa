using System.Collections.Concurrent;
using System.Globalization;
using Npgsql;

namespace Throttled.Testing;

/// <summary>Databases of a server: new ones, and used ones that were emptied.</summary>
public sealed partial class PostgreSqlServer
{
    // Removes what a database may have after a test, compared with template0: sessions, prepared transactions, schemas, settings, and rights.
    private const string Emptying =
        $"""
        SET lock_timeout = '5s';
        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
        DO $$
        DECLARE
            name text;
        BEGIN
            FOR name IN SELECT nspname FROM pg_namespace WHERE nspname <> 'information_schema' AND nspname NOT LIKE 'pg\_%' LOOP
                EXECUTE format('DROP SCHEMA %I CASCADE', name);
            END LOOP;
            EXECUTE format('ALTER DATABASE %I RESET ALL', current_database());
            EXECUTE format('ALTER ROLE {Reader} IN DATABASE %I RESET ALL', current_database());
            EXECUTE format('REVOKE ALL ON DATABASE %I FROM {Reader}', current_database());
            EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO PUBLIC', current_database());
        END $$;
        DELETE FROM pg_default_acl;
        CREATE SCHEMA public;
        GRANT USAGE ON SCHEMA public TO PUBLIC
        """;

    private readonly DatabasePool _pool;
    private readonly ConcurrentBag<NpgsqlDataSource> _sources = [];
    private int _databases;

    /// <summary>Provides an empty database: a new one, or one that <see cref="Return"/> took back. Thread-safe.</summary>
    /// <returns>Its connection string.</returns>
    public string CreateDatabase() => _pool.Take();

    /// <summary>
    /// Gives back a database for another test. Do not give back a database with changes outside its schemas: a system function,
    /// an extension, a publication. Thread-safe.
    /// </summary>
    /// <param name="connectionString">The result of <see cref="CreateDatabase"/>.</param>
    public void Return(string connectionString) => _pool.Return(connectionString);

    /// <summary>
    /// Provides the sessions of a test itself, named "test". They are kept and used again until this server stops, because to start one costs the
    /// processor tens of milliseconds. Those through another port are not kept: a balancer may close them. They have no timeout, whatever
    /// settings a test gives to the server. The caller disposes the source. Thread-safe.
    /// </summary>
    public NpgsqlDataSource OpenSource(string connectionString)
    {
        var isDirect = new NpgsqlConnectionStringBuilder(connectionString).Port == Port;
        var source = NpgsqlDataSource.Create($"{connectionString};Application Name=test;Pooling={isDirect};Options={NoTimeouts}");
        _sources.Add(source);
        return source;
    }

    // A session option that the server does not know ends the connection.
    private string NoTimeouts => "-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0"
        + (int.Parse(File.ReadAllText(Path.Combine(Data, "PG_VERSION")), CultureInfo.InvariantCulture) >= 14 ? " -c idle_session_timeout=0" : "");

    private void ForgetSessions()
    {
        foreach (var source in _sources)
            source.Clear();
    }

    private string NewDatabase()
    {
        var name = FormattableString.Invariant($"test{Interlocked.Increment(ref _databases)}");
        Run(ConnectionString(), $"CREATE DATABASE {name} TEMPLATE template0");
        return ConnectionString(name);
    }

    private static bool IsEmptied(string connectionString)
    {
        try
        {
            Run(connectionString, Emptying);
            return true;
        }
        catch (NpgsqlException)
        {
            return false;
        }
    }

    // On a busy machine a server that has just started may take longer to answer than the driver's 15 seconds.
    private static void Run(string connectionString, string sql)
    {
        using var connection = new NpgsqlConnection($"{connectionString};Pooling=false;Timeout=120;Command Timeout=120");
        connection.Open();
        using var command = new NpgsqlCommand(sql, connection);
        command.ExecuteNonQuery();
    }
}
