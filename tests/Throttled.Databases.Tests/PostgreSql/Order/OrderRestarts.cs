using Throttled.Testing;

namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>The server goes and comes back while prepared transactions wait for it.</summary>
internal sealed class OrderRestarts(PostgreSqlServer server, Random random)
{
    private const int Waiting = 4;

    private TaskCompletionSource? _coming;
    private int _waiting;

    /// <summary>Whether one comes, and prepared transactions should wait for it.</summary>
    internal bool IsComing => _coming is not null;

    /// <summary>Waits for the restart that comes; not at all where none does.</summary>
    internal async Task WaitAsync()
    {
        if (_coming is not { } coming)
            return;
        Interlocked.Increment(ref _waiting);
        await coming.Task;
    }

    /// <summary>Announces a restart, waits until some prepared transactions wait for it, and makes it.</summary>
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
