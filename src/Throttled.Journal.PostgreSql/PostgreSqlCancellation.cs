using Npgsql;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// Cancels again what a first cancel did not end. A request that the server handles before it begins the statement has no effect:
/// https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
/// Npgsql sends one for each execution, whatever is asked of it (PerformPostgresCancellation in
/// https://github.com/npgsql/npgsql/blob/v10.0.0/src/Npgsql/Internal/NpgsqlConnector.cs), and keeps the key that another would need;
/// so the others are statements, on a connection of their own. Thread-safe.
/// </summary>
internal sealed class PostgreSqlCancellation(PostgreSqlSource source, TimeProvider clock) : IDisposable
{
    private const int CommandSeconds = 2;

    private static readonly TimeSpan RetryInterval = TimeSpan.FromMilliseconds(500);

    // The connection comes on top of the permits: one for all calls.
    private readonly SemaphoreSlim _one = new(1);

    /// <summary>Runs a call; once it was cancelled, its session is cancelled until it has ended.</summary>
    internal async Task<T> RunAsync<T>(
        PostgreSqlSession session, Func<PostgreSqlSession, Task<T>> work, CancellationToken cancellation)
    {
        // Behind a pooler the session has no process of its own, and another's statement would be hit.
        if (session.Backend is not { } backend || !cancellation.CanBeCanceled)
            return await work(session).ConfigureAwait(false);
        var again = Task.CompletedTask;
        using var ended = new CancellationTokenSource();
        var watch = cancellation.UnsafeRegister(_ => again = CancelAsync(backend, ended.Token), state: null);
        try
        {
            return await work(session).ConfigureAwait(false);
        }
        finally
        {
            // A cancel on its way is waited for: it would hit the session's next statement.
            await watch.DisposeAsync().ConfigureAwait(false);
            await ended.CancelAsync().ConfigureAwait(false);
            await again.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    public void Dispose() => _one.Dispose();

    private async Task CancelAsync(string backend, CancellationToken ended)
    {
        while (true)
        {
            await Task.Delay(RetryInterval, clock, ended).ConfigureAwait(false);
            await _one.WaitAsync(ended).ConfigureAwait(false);
            try
            {
                await SendAsync(backend, ended).ConfigureAwait(false);
            }
            catch (Exception) when (!ended.IsCancellationRequested)
            {
                // The next may reach the server; where none does, Npgsql breaks the connection.
            }
            finally
            {
                _one.Release();
            }
        }
    }

    private async Task SendAsync(string backend, CancellationToken ended)
    {
        var connection = await source.OpenAsync(ended).ConfigureAwait(false);
        await using var closing = connection.ConfigureAwait(false);
        var command = new NpgsqlCommand(PostgreSqlCatalogSql.Cancel, connection) { CommandTimeout = CommandSeconds };
        await using var disposing = command.ConfigureAwait(false);
        command.Parameters.Add(Of([backend]));
        // Without the token: what was sent has to be known to have ended.
        await command.ExecuteNonQueryAsync(CancellationToken.None).ConfigureAwait(false);
    }
}
