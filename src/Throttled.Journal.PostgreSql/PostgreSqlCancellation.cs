using Npgsql;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// Repeats a cancel that did not end a statement. A cancel request has no effect if the server handles it before it begins the
/// statement: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS. Npgsql sends only
/// one request per execution (PerformPostgresCancellation in
/// https://github.com/npgsql/npgsql/blob/v10.0.0/src/Npgsql/Internal/NpgsqlConnector.cs). It does not publish the key that
/// another request needs. So the other cancels are statements on a separate connection. Thread-safe.
/// </summary>
internal sealed class PostgreSqlCancellation(PostgreSqlSource source, TimeProvider clock) : IDisposable
{
    private const int CommandSeconds = 2;

    private static readonly TimeSpan RetryInterval = TimeSpan.FromMilliseconds(500);

    // This connection is not among the permits. All calls share it.
    private readonly SemaphoreSlim _one = new(1);

    /// <summary>Cancels a session again and again until its call has ended.</summary>
    internal async Task RunAsync(string backend, CancellationToken ended)
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
                // The next cancel may reach the server. If none does, Npgsql breaks the connection.
            }
            finally
            {
                _one.Release();
            }
        }
    }

    public void Dispose() => _one.Dispose();

    private async Task SendAsync(string backend, CancellationToken ended)
    {
        var connection = await source.OpenAsync(ended).ConfigureAwait(false);
        await using var closing = connection.ConfigureAwait(false);
        var command = new NpgsqlCommand(PostgreSqlCatalogSql.Cancel, connection) { CommandTimeout = CommandSeconds };
        await using var disposing = command.ConfigureAwait(false);
        command.Parameters.Add(Of([backend]));
        // Without the token: the cancel that was sent must have ended before this method returns.
        await command.ExecuteNonQueryAsync(CancellationToken.None).ConfigureAwait(false);
    }
}
