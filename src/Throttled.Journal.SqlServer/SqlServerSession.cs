using System.Data;
using System.Data.Common;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>One open connection, used by one call at a time.</summary>
/// <param name="connection">The connection.</param>
/// <param name="names">The names of the session.</param>
/// <param name="seconds">How long a statement may run.</param>
internal sealed class SqlServerSession(SqlConnection connection, SessionNames names, int seconds) : IAdoSession
{
    /// <summary>The session's number, with its login time.</summary>
    public string Backend => names.Backend;

    /// <summary>The run of the server; null if the server does not show it.</summary>
    public string? Server => names.Server;

    internal string Database => connection.Database;

    public bool IsBroken => connection.State is not ConnectionState.Open;

    /// <summary>How long the driver waits for an answer before it cancels the statement, in seconds. The server has no timeout for a statement.</summary>
    internal static int DriverSeconds(JournalOptions options) => (int)Math.Ceiling(options.StatementTimeout.TotalSeconds);

    public async Task ReadAsync(string text, Func<DbDataReader, bool> take, CancellationToken cancellation, params DbParameter[] parameters)
    {
        var command = new SqlCommand(text, connection) { CommandTimeout = seconds };
        await using var closing = command.ConfigureAwait(false);
        SqlServerParameters.Add(command, parameters);
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        // The server has begun to answer. An asynchronous wait for each row takes the driver twice as long, and ten times as
        // long for rows of several megabytes: docs/decisions/0025.
        await BlockingReads.OfProcess.RunAsync(() => TakeRows(command, reader, take, cancellation)).ConfigureAwait(false);
    }

    /// <summary>Closes the connection from another thread, while a statement waits for its answer.</summary>
    internal void Break() => connection.Close();

    internal async Task CloseAsync() => await connection.DisposeAsync().ConfigureAwait(false);

    // Closing the reader blocks too, because it reads the rest of the answer.
    private static void TakeRows(SqlCommand command, SqlDataReader reader, Func<DbDataReader, bool> take, CancellationToken cancellation)
    {
        using (reader)
        using (cancellation.UnsafeRegister(static command => ((SqlCommand)command!).Cancel(), command))
        {
            while (reader.Read())
            {
                if (take(reader))
                    continue;
                // Without the cancel, closing the reader would read all remaining rows.
                command.Cancel();
                return;
            }
        }
    }
}

/// <summary>The names of a session.</summary>
/// <param name="Backend">The session on the server, with its login time.</param>
/// <param name="Server">The run of the server, from its start to its end; null if the server does not show it.</param>
internal sealed record SessionNames(string Backend, string? Server);
