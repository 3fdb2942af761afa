using System.Globalization;
using Npgsql;

namespace Throttled.Faults.Fleet;

/// <summary>PgBouncer before a server. https://www.pgbouncer.org/config.html</summary>
internal sealed class PgBouncer : ChildProgram
{
    internal const string Program = "pgbouncer";

    /// <summary>The number of connections to the server for a user and a database.</summary>
    internal const int PoolSize = 10;

    private const int MostAttempts = 5;

    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(20);

    private readonly NpgsqlConnectionStringBuilder _server;
    private readonly string _configuration;

    private PgBouncer(string connectionString, string mode)
    {
        _server = new(connectionString);
        var users = Write("users", new[] { PostgreSqlServer.User, PostgreSqlServer.Reader }.Select(user => $"\"{user}\" \"{PostgreSqlServer.Password}\""));
        _configuration = Write(
            "pgbouncer.ini",
            "[databases]",
            $"{_server.Database} = host={_server.Host} port={_server.Port} dbname={_server.Database}",
            "[pgbouncer]",
            "listen_addr = 127.0.0.1",
            $"listen_port = {Port}",
            "unix_socket_dir =",
            "auth_type = scram-sha-256",
            $"auth_file = {users}",
            $"admin_users = {PostgreSqlServer.User}",
            $"pool_mode = {mode}",
            $"default_pool_size = {PoolSize}",
            "server_login_retry = 1",
            User is { } user ? $"user = {user}" : "");
    }

    /// <summary>How to connect through it.</summary>
    internal string ConnectionString => new NpgsqlConnectionStringBuilder(_server.ConnectionString) { Host = "127.0.0.1", Port = Port }.ConnectionString;

    protected override string[] Command => [Find(Program)!, _configuration];

    internal static async Task<PgBouncer> BeforeAsync(string connectionString, string mode)
    {
        var bouncer = new PgBouncer(connectionString, mode);
        try
        {
            await bouncer.StartAsync();
            return bouncer;
        }
        catch
        {
            bouncer.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Runs administration commands, for example <c>PAUSE</c>; <c>{0}</c> is the database. <c>KILL</c> sometimes crashes PgBouncer, or makes it spin
    /// (https://github.com/pgbouncer/pgbouncer/issues/1401). PgBouncer is then restarted, and the commands run again.
    /// </summary>
    internal async Task RunAsync(params string[] commands)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                await TryAsync(commands);
                return;
            }
            catch (InvalidOperationException) when (attempt < MostAttempts)
            {
                await RestartAsync();
            }
        }
    }

    /// <summary>Runs commands that undo others. If PgBouncer has crashed, it is restarted instead, with the settings of its file.</summary>
    internal async Task UndoAsync(params string[] commands)
    {
        try
        {
            await TryAsync(commands);
        }
        catch (InvalidOperationException)
        {
            await RestartAsync();
        }
    }

    private async Task TryAsync(string[] commands)
    {
        var run = Task.Run(() => Array.ForEach(commands, Run));
        try
        {
            await run.WaitAsync(MaxWait);
        }
        catch (TimeoutException)
        {
            // The commands failed with an error of psql.
            Kill();
            await run;
        }
    }

    private Task RestartAsync()
    {
        Kill();
        return StartAsync();
    }

    private void Run(string command) => new PostgreSqlCommands(PostgreSqlBinaries.Find()!, PostgreSqlServer.Password).Run(
        "psql", "--host=127.0.0.1", FormattableString.Invariant($"--port={Port}"), $"--username={PostgreSqlServer.User}", "--dbname=pgbouncer",
        "--quiet", $"--command={string.Format(CultureInfo.InvariantCulture, command, _server.Database)}");
}
