using System.Data;
using System.Data.Common;
using Npgsql;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>One open connection, used by one call at a time.</summary>
/// <param name="connection">The connection.</param>
/// <param name="names">
/// The names of the session. Null if each statement sets its own settings: 'PrepareStatements' is off, or a pooler may run each
/// statement on another connection.
/// </param>
/// <param name="options">How the journal is read.</param>
/// <param name="servers">The servers to which connections led.</param>
internal sealed class PostgreSqlSession(NpgsqlConnection connection, SessionNames? names, JournalOptions options, KnownServers servers)
    : IAdoSession
{
    private const int ResetSeconds = 2;

    /// <summary>Restores the settings that the source made.</summary>
    internal const string Reset = "RESET ALL";

    private readonly string _limit = Limit(options);
    private ServerIdentity? _answered;
    private bool _isProbe;
    private bool _isGarbled;

    /// <summary>The server's process, with its start time; null behind a pooler.</summary>
    public string? Backend => names?.Backend;

    /// <summary>The run of the server; null behind a pooler.</summary>
    public string? Server => names?.Server;

    /// <summary>The server of the connection. Behind a pooler, the server that answered last; null before the first answer.</summary>
    internal ServerIdentity? Identity => names?.Identity ?? _answered;

    /// <summary>Whether the next call may run here. Behind a pooler, each statement checks it.</summary>
    internal bool IsAccepted => names is null || servers.Accepts(names.Identity);

    public bool IsBroken => _isGarbled || connection.FullState is ConnectionState.Closed
        || connection.FullState.HasFlag(ConnectionState.Broken);

    /// <summary>Behind a pooler, each statement sets its own settings and returns the server that runs it.</summary>
    // A setting of the session would stay with a connection that other clients use next. A batch is a transaction, so these
    // settings end with it. SET LOCAL would do the same, but would write a warning to the server's log.
    internal static string Limit(JournalOptions options) => FormattableString.Invariant(
        $"SELECT {PostgreSqlCatalogSql.OwnServer}, set_config('statement_timeout', '{(long)options.StatementTimeout.TotalMilliseconds}', true), set_config('enable_bitmapscan', 'off', true)");

    /// <summary>How long the driver waits for an answer, in seconds. The server's limit is shorter; this one is for dead connections that look alive.</summary>
    internal static int DriverSeconds(JournalOptions options) => (int)Math.Ceiling(options.StatementTimeout.TotalSeconds) + 5;

    /// <summary>Begins a call.</summary>
    /// <param name="isProbe">Whether the call may run on another server than the one that is read.</param>
    internal void Begin(bool isProbe) => (_answered, _isProbe) = (null, isProbe);

    /// <summary>The statement is prepared when this connection first runs its text. Later that costs one look-up.</summary>
    public async Task ReadAsync(string text, Func<DbDataReader, bool> take, CancellationToken cancellation, params DbParameter[] parameters)
    {
        var batch = Batch(text, parameters);
        await using var closing = batch.ConfigureAwait(false);
        if (names is not null)
            await batch.PrepareAsync(cancellation).ConfigureAwait(false);
        try
        {
            var reader = await batch.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
            await using var draining = reader.ConfigureAwait(false);
            if (names is null)
                await PassLimitAsync(reader, cancellation).ConfigureAwait(false);
            while (await reader.ReadAsync(cancellation).ConfigureAwait(false))
            {
                if (take(reader))
                    continue;
                // To read the rest would transfer rows that are not needed. Closing the reader waits for the server's answer,
                // and accepts "cancelled" as an answer:
                // https://github.com/npgsql/npgsql/blob/v9.0.3/src/Npgsql/NpgsqlDataReader.cs (Close).
                batch.Cancel();
                return;
            }
        }
        catch (ArgumentException error) when (PostgreSqlFaults.IsGarbledAnswer(error))
        {
            Abandon();
            throw;
        }
    }

    /// <summary>Closes the connection, or returns it to its pool.</summary>
    /// <param name="reset">Whether to reset settings that this session made, because the pool passes the connection on with them.</param>
    internal async Task CloseAsync(bool reset)
    {
        if (reset && names is not null && !IsBroken)
            await ResetAsync().ConfigureAwait(false);
        await connection.DisposeAsync().ConfigureAwait(false);
    }

    private NpgsqlBatch Batch(string text, DbParameter[] parameters)
    {
        var command = new NpgsqlBatchCommand(text);
        foreach (var parameter in parameters)
            command.Parameters.Add((NpgsqlParameter)parameter);
        var batch = new NpgsqlBatch(connection) { Timeout = DriverSeconds(options) };
        if (names is null)
            batch.BatchCommands.Add(new(_limit));
        batch.BatchCommands.Add(command);
        return batch;
    }

    // The pool must not use the connection again: the next bytes on it are the rest of the answer.
    private void Abandon()
    {
        _isGarbled = true;
        NpgsqlConnection.ClearPool(connection);
    }

    // A pooler may run the statements of one call on several connections. With load balancing, these lead to several servers.
    private async Task PassLimitAsync(NpgsqlDataReader reader, CancellationToken cancellation)
    {
        if (await reader.ReadAsync(cancellation).ConfigureAwait(false))
        {
            var server = new ServerIdentity(reader.GetString(0), reader.GetString(1));
            servers.Meet(server, _isProbe);
            if (_answered is { } before && before.Name != server.Name)
                throw new OtherServerException(server, before);
            _answered = server;
        }
        await reader.NextResultAsync(cancellation).ConfigureAwait(false);
    }

    private async Task ResetAsync()
    {
        try
        {
            var command = new NpgsqlCommand(Reset, connection) { CommandTimeout = ResetSeconds };
            await using var closing = command.ConfigureAwait(false);
            await command.ExecuteNonQueryAsync().ConfigureAwait(false);
        }
        catch (NpgsqlException)
        {
            // The connection is broken, so its settings are gone too.
        }
    }
}

/// <summary>The names of a session.</summary>
/// <param name="Backend">The server's process, with its start time.</param>
/// <param name="Identity">The server.</param>
/// <param name="Server">The run of the server, from its start to its end or its recovery from a crash.</param>
internal sealed record SessionNames(string Backend, ServerIdentity Identity, string Server);
