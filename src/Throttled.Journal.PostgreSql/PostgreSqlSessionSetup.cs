using System.Globalization;
using Npgsql;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Opens connections and sets them up to read a journal.</summary>
/// <param name="source">Creates the connections.</param>
/// <param name="options">How the journal is read.</param>
/// <param name="servers">The servers to which connections led.</param>
internal sealed class PostgreSqlSessionSetup(PostgreSqlSource source, JournalOptions options, KnownServers servers)
{
    /// <summary>While the server runs a statement, it checks that its client is still connected.</summary>
    internal const string CheckConnection = "SET client_connection_check_interval = '2s'";

    private static readonly Version ConnectionChecks = new(14, 0);

    private readonly string _settings = Settings(options);
    private readonly string _tagTable = new PostgreSqlDialect().Table(options.Tables.Schema, options.Tables.TagTable);
    private volatile bool _refusesConnectionChecks;

    /// <exception cref="OtherServerException">The call is not a probe, and the connection leads to another server than the one that is read.</exception>
    /// <exception cref="SeveralServersException">The call is a probe, and connections led to two servers in turn.</exception>
    internal async ValueTask<PostgreSqlSession> OpenAsync(bool isProbe, CancellationToken cancellation)
    {
        var connection = await source.OpenAsync(cancellation).ConfigureAwait(false);
        try
        {
            UnsupportedServerException.ThrowIfOlder(connection.PostgreSqlVersion);
            // Behind a pooler, settings would stay with a connection that other clients use next, and a session has no fixed process.
            var names = options.PrepareStatements ? await SetAsync(connection, cancellation).ConfigureAwait(false) : null;
            if (names is not null)
                servers.Meet(names.Identity, isProbe);
            return new(connection, names, options, servers);
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    // The server plans each statement again. A kept plan may have been made when the table was empty. The legacy layout's index
    // on the sequence number alone then looks as good as the index on both columns, and the plan stays when the table has
    // grown: https://www.postgresql.org/docs/current/sql-prepare.html#SQL-PREPARE-NOTES
    // Bitmap scans are off, because their result must be sorted. On a table that was not analysed yet, a page in journal order
    // would sort all rows after its start, although the index gives them in order.
    // Sorts are off if the tag table has the index that avoids them. For a tag that is newer than the statistics, the index on
    // the tag alone looks as good.
    // A database with the encoding SQL_ASCII may have texts that are no UTF-8. The server would refuse to send them to a client with UTF-8,
    // and one such row would fail each poll: https://www.postgresql.org/docs/current/multibyte.html
    // Read committed, because each read must see what was committed before it.
    // A pooler invents the process ids of its clients, because it shares the server's processes among them. Another client may
    // use the process next, so no settings are made then. https://www.pgbouncer.org/faq.html
    internal static string Settings(JournalOptions options) => string.Create(
        CultureInfo.InvariantCulture,
        $"""
        SELECT ({PostgreSqlCatalogSql.OwnBackend}), {PostgreSqlCatalogSql.OwnServer}, {PostgreSqlCatalogSql.OwnRecovery}, pg_backend_pid() = $4,
            CASE WHEN pg_backend_pid() = $4 THEN ARRAY[
            set_config('statement_timeout', '{(long)options.StatementTimeout.TotalMilliseconds}', false),
            set_config('plan_cache_mode', 'force_custom_plan', false),
            set_config('enable_bitmapscan', 'off', false),
            set_config('enable_sort', CASE WHEN NOT ({PostgreSqlCatalogSql.LacksIndex}) THEN 'off' ELSE 'on' END, false),
            set_config('client_encoding', CASE current_setting('server_encoding') WHEN 'SQL_ASCII' THEN 'SQL_ASCII' ELSE current_setting('client_encoding') END, false),
            set_config('jit', 'off', false),
            set_config('max_parallel_workers_per_gather', '0', false),
            set_config('default_transaction_isolation', 'read committed', false)] END
        """);

    // Behind a pooler, statements set their own settings, as if 'PrepareStatements' were off.
    private async Task<SessionNames?> SetAsync(NpgsqlConnection connection, CancellationToken cancellation)
    {
        var names = await NamesAsync(connection, cancellation).ConfigureAwait(false);
        if (names is not null && connection.PostgreSqlVersion >= ConnectionChecks && !_refusesConnectionChecks)
            await CheckConnectionAsync(connection, cancellation).ConfigureAwait(false);
        return names;
    }

    private async Task<SessionNames?> NamesAsync(NpgsqlConnection connection, CancellationToken cancellation)
    {
        var command = new NpgsqlCommand(_settings, connection) { CommandTimeout = PostgreSqlSession.DriverSeconds(options) };
        await using var closing = command.ConfigureAwait(false);
        var tables = options.Tables;
        command.Parameters.Add(Of(_tagTable));
        command.Parameters.Add(Of(tables.TagColumn));
        command.Parameters.Add(Of(tables.TagOrderingColumn));
        command.Parameters.Add(Of(connection.ProcessID));
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        await using var draining = reader.ConfigureAwait(false);
        return await reader.ReadAsync(cancellation).ConfigureAwait(false) && reader.GetBoolean(4)
            ? new(
                reader.GetString(0),
                new(reader.GetString(1), reader.GetString(2)),
                FormattableString.Invariant($"{reader.GetString(1)}/{reader.GetString(3)}"))
            : null;
    }

    // Ends a statement whose client is gone. Some platforms do not support the check:
    // https://www.postgresql.org/docs/current/runtime-config-connection.html#GUC-CLIENT-CONNECTION-CHECK-INTERVAL
    private async Task CheckConnectionAsync(NpgsqlConnection connection, CancellationToken cancellation)
    {
        try
        {
            var command = new NpgsqlCommand(CheckConnection, connection)
            {
                CommandTimeout = PostgreSqlSession.DriverSeconds(options),
            };
            await using var closing = command.ConfigureAwait(false);
            await command.ExecuteNonQueryAsync(cancellation).ConfigureAwait(false);
        }
        catch (PostgresException error) when (error.SqlState is
            PostgresErrorCodes.InvalidParameterValue or PostgresErrorCodes.UndefinedObject)
        {
            _refusesConnectionChecks = true;
        }
    }
}
