namespace Throttled.Journal.SqlServer;

/// <summary>
/// Ensures that a cancelled call ends. After the driver has asked the server to stop, it waits for the acknowledgement without
/// a timeout (https://learn.microsoft.com/openspecs/windows_protocols/ms-tds/dc28579f-49b1-4a78-9c5f-63fbda002d2e). A server
/// that is gone or hangs sends none.
/// </summary>
internal static class SqlServerCancellation
{
    private static readonly TimeSpan AcknowledgementTimeout = TimeSpan.FromSeconds(10);

    /// <summary>Runs a call. If it does not end in time after its cancellation, its connection is closed.</summary>
    internal static async Task<T> RunAsync<T>(
        SqlServerSession session, Func<SqlServerSession, Task<T>> work, TimeProvider clock, CancellationToken cancellation)
    {
        if (!cancellation.CanBeCanceled)
            return await work(session).ConfigureAwait(false);
        var breaking = Task.CompletedTask;
        using var ended = new CancellationTokenSource();
        var watch = cancellation.UnsafeRegister(_ => breaking = BreakAsync(session, clock, ended.Token), state: null);
        try
        {
            return await work(session).ConfigureAwait(false);
        }
        finally
        {
            await watch.DisposeAsync().ConfigureAwait(false);
            await ended.CancelAsync().ConfigureAwait(false);
            await breaking.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private static async Task BreakAsync(SqlServerSession session, TimeProvider clock, CancellationToken ended)
    {
        await Task.Delay(AcknowledgementTimeout, clock, ended).ConfigureAwait(false);
        session.Break();
    }
}
