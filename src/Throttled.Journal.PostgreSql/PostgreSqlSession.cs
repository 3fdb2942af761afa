using System.Data;
using Npgsql;

namespace Throttled.Journal.PostgreSql;

/// <summary>One open connection, used by one call at a time.</summary>
/// <param name="connection">The connection.</param>
/// <param name="names">
/// What it is called; null where statements bring their settings along: 'PrepareStatements' is off, or a pooler stands between and may run each on another connection.
/// </param>
/// <param name="options">How the journal is read.</param>
/// <param name="servers">The servers to which connections led.</param>
internal sealed class PostgreSqlSession(NpgsqlConnection connection, SessionNames? names, JournalOptions options, KnownServers servers)
{
    private const int ResetSeconds = 2;

    /// <summary>Gives the connection back as its source made it.</summary>
    internal const string Reset = "RESET ALL";

    private readonly string _limit = Limit(options);
    private ServerIdentity? _answered;
    private bool _isProbe;
    private bool _isGarbled;

    /// <summary>Names the server's process over its restarts; null where a pooler stands between.</summary>
    internal string? Backend => names?.Backend;

    /// <summary>Names the run of the server; null where a pooler stands between.</summary>
    internal string? Server => names?.Server;

    /// <summary>The server that answers; behind a pooler the one that answered last, or null before.</summary>
    internal ServerIdentity? Identity => names?.Identity ?? _answered;

    /// <summary>Whether the next call may run here. Behind a pooler, each statement shows it.</summary>
    internal bool IsAccepted => names is null || servers.Accepts(names.Identity);

    internal bool IsBroken => _isGarbled || connection.FullState is ConnectionState.Closed
        || connection.FullState.HasFlag(ConnectionState.Broken);

    /// <summary>The settings that a statement brings along behind a pooler, and which server runs it.</summary>
    // There a setting would stay with a connection that others use next, so that each statement brings its own.
    // A batch is a transaction, and with it the setting ends; SET LOCAL would do the same and write a warning to the server's log.
    internal static string Limit(JournalOptions options) => FormattableString.Invariant(
        $"SELECT {PostgreSqlCatalogSql.OwnServer}, set_config('statement_timeout', '{(long)options.StatementTimeout.TotalMilliseconds}', true), set_config('enable_bitmapscan', 'off', true)");

    /// <summary>How long the driver waits for an answer. The server ends a statement first; this is for connections that are dead but look alive.</summary>
    internal static int DriverSeconds(JournalOptions options) => (int)Math.Ceiling(options.StatementTimeout.TotalSeconds) + 5;

    /// <summary>A call begins.</summary>
    /// <param name="isProbe">Whether it may run on another server than the one that is read.</param>
    internal void Begin(bool isProbe) => (_answered, _isProbe) = (null, isProbe);

    /// <summary>A statement, prepared the first time that this connection runs its text; later that costs a look-up.</summary>
    internal async ValueTask<SessionBatch> CommandAsync(
        string text, CancellationToken cancellation, params NpgsqlParameter[] parameters)
    {
        var command = new NpgsqlBatchCommand(text);
        foreach (var parameter in parameters)
            command.Parameters.Add(parameter);
        var batch = new NpgsqlBatch(connection) { Timeout = DriverSeconds(options) };
        if (names is null)
            batch.BatchCommands.Add(new(_limit));
        batch.BatchCommands.Add(command);
        if (names is not null)
            await batch.PrepareAsync(cancellation).ConfigureAwait(false);
        return new(batch, this);
    }

    /// <summary>Runs a statement and takes its rows, one by one.</summary>
    /// <param name="command">The statement; disposed when this ends.</param>
    /// <param name="take">Takes a row and says whether to go on. Where it does not, the server is told to stop.</param>
    /// <param name="cancellation">Cancels the statement.</param>
    internal static async Task ReadAsync(
        SessionBatch command, Func<NpgsqlDataReader, bool> take, CancellationToken cancellation)
    {
        var batch = command.Batch;
        await using var closing = batch.ConfigureAwait(false);
        try
        {
            var reader = await batch.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
            await using var draining = reader.ConfigureAwait(false);
            if (batch.BatchCommands.Count > 1)
                await command.Session.PassLimitAsync(reader, cancellation).ConfigureAwait(false);
            while (await reader.ReadAsync(cancellation).ConfigureAwait(false))
            {
                if (take(reader))
                    continue;
                // Draining would send what nobody wants. Closing the reader waits for the server's answer, and takes "cancelled"
                // for one: https://github.com/npgsql/npgsql/blob/v9.0.3/src/Npgsql/NpgsqlDataReader.cs (Close).
                batch.Cancel();
                return;
            }
        }
        catch (ArgumentException error) when (PostgreSqlFaults.IsGarbledAnswer(error))
        {
            command.Session.Abandon();
            throw;
        }
    }

    /// <summary>Runs a statement of one row and one column.</summary>
    /// <returns>The value; null where there is none.</returns>
    internal static async Task<object?> ScalarAsync(SessionBatch command, CancellationToken cancellation)
    {
        object? value = null;
        await ReadAsync(
            command,
            row =>
            {
                value = row.IsDBNull(0) ? null : row.GetValue(0);
                return true;
            },
            cancellation).ConfigureAwait(false);
        return value;
    }

    /// <summary>Closes it, or gives it back as it was.</summary>
    /// <param name="reset">Whether somebody else uses the connection next with the settings that it has, where we made any.</param>
    internal async Task CloseAsync(bool reset)
    {
        if (reset && names is not null && !IsBroken)
            await ResetAsync().ConfigureAwait(false);
        await connection.DisposeAsync().ConfigureAwait(false);
    }

    // A pool must not give the connection out again: what comes next is the rest of the answer.
    private void Abandon()
    {
        _isGarbled = true;
        NpgsqlConnection.ClearPool(connection);
    }

    // The statements of one call may run on several connections of a pooler, and these lead to several servers where it balances the load.
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
            // The connection is gone, and its settings with it.
        }
    }
}

/// <summary>What a session is called.</summary>
/// <param name="Backend">The server's process.</param>
/// <param name="Identity">The server.</param>
/// <param name="Server">The run of the server, from its start to its end.</param>
internal sealed record SessionNames(string Backend, ServerIdentity Identity, string Server);

/// <summary>A statement of a session, disposed when it has been read.</summary>
internal readonly record struct SessionBatch(NpgsqlBatch Batch, PostgreSqlSession Session);
