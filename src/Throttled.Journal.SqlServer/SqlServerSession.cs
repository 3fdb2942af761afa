using System.Data;
using Microsoft.Data.SqlClient;

namespace Throttled.Journal.SqlServer;

/// <summary>One open connection, used by one call at a time.</summary>
/// <param name="connection">The connection.</param>
/// <param name="names">What it is called.</param>
/// <param name="seconds">How long a statement may run.</param>
internal sealed class SqlServerSession(SqlConnection connection, SessionNames names, int seconds)
{
    /// <summary>Names the session over the server's restarts.</summary>
    internal string Backend => names.Backend;

    /// <summary>Names the run of the server; null where it is not told.</summary>
    internal string? Server => names.Server;

    /// <summary>The database that it reads.</summary>
    internal string Database => connection.Database;

    internal bool IsBroken => connection.State is not ConnectionState.Open;

    /// <summary>
    /// How long the driver waits for an answer before it tells the server to stop; the server has no time-out of its own for a statement.
    /// </summary>
    internal static int DriverSeconds(JournalOptions options) => (int)Math.Ceiling(options.StatementTimeout.TotalSeconds);

    /// <summary>Runs a statement and takes its rows, one by one.</summary>
    /// <param name="text">The statement; its parameters are <c>@p1</c> and so on.</param>
    /// <param name="take">Takes a row and says whether to go on. Where it does not, the server is told to stop.</param>
    /// <param name="cancellation">Cancels the statement.</param>
    /// <param name="parameters">Their values, in this order.</param>
    internal async Task ReadAsync(
        string text, Func<SqlDataReader, bool> take, CancellationToken cancellation, params SqlParameter[] parameters)
    {
        var command = new SqlCommand(text, connection) { CommandTimeout = seconds };
        await using var closing = command.ConfigureAwait(false);
        for (var i = 0; i < parameters.Length; i++)
        {
            parameters[i].ParameterName = FormattableString.Invariant($"@p{i + 1}");
            command.Parameters.Add(parameters[i]);
        }
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        // The server has begun to answer. Waiting for each row asynchronously takes the driver twice as long, and ten times if a row has
        // megabytes: docs/decisions/0025.
        await BlockingReads.OfProcess.RunAsync(() => TakeRows(command, reader, take, cancellation)).ConfigureAwait(false);
    }

    /// <summary>Runs a statement of one row and one column.</summary>
    /// <returns>The value; null where there is none.</returns>
    internal async Task<object?> ScalarAsync(string text, CancellationToken cancellation, params SqlParameter[] parameters)
    {
        object? value = null;
        await ReadAsync(text, Take, cancellation, parameters).ConfigureAwait(false);
        return value;

        bool Take(SqlDataReader row)
        {
            value = row.IsDBNull(0) ? null : row.GetValue(0);
            return true;
        }
    }

    /// <summary>Cuts the connection under a statement that waits for its answer, from another thread.</summary>
    internal void Break() => connection.Close();

    internal async Task CloseAsync() => await connection.DisposeAsync().ConfigureAwait(false);

    // Closing the reader blocks as well: it reads what is left of the answer.
    private static void TakeRows(SqlCommand command, SqlDataReader reader, Func<SqlDataReader, bool> take, CancellationToken cancellation)
    {
        using (reader)
        using (cancellation.UnsafeRegister(static command => ((SqlCommand)command!).Cancel(), command))
        {
            while (reader.Read())
            {
                if (take(reader))
                    continue;
                // Closing would read on to the end.
                command.Cancel();
                return;
            }
        }
    }
}

/// <summary>What a session is called.</summary>
/// <param name="Backend">The session on the server.</param>
/// <param name="Server">The run of the server, from its start to its end; null where it is not told.</param>
internal sealed record SessionNames(string Backend, string? Server);
