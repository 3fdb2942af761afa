namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>Restarts the server while prepared transactions wait for the restart.</summary>
internal sealed class OrderRestarts(PostgreSqlServer server, Random random)
{
    private const int Waiting = 4;

    private TaskCompletionSource? _coming;
    private int _waiting;

    /// <summary>Whether a restart is due, for which prepared transactions should wait.</summary>
    internal bool IsComing => _coming is not null;

    /// <summary>Waits for the next restart; returns at once if there is none.</summary>
    internal async Task WaitAsync()
    {
        if (_coming is not { } coming)
            return;
        Interlocked.Increment(ref _waiting);
        await coming.Task;
    }

    /// <summary>Announces a restart, waits until some prepared transactions wait for it, and restarts the server.</summary>
    internal async Task RestartAsync()
    {
        _waiting = 0;
        var coming = _coming = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await Wait.UntilAsync(
            () => Volatile.Read(ref _waiting) >= Waiting, "prepared transactions that wait for a restart", TimeSpan.FromMinutes(5));
        _coming = null;
        if (random.Next(2) == 0)
            server.Stop();
        server.Restart();
        coming.SetResult();
    }
}
