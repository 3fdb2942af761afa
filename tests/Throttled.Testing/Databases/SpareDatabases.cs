using System.Collections.Concurrent;

namespace Throttled.Testing;

/// <summary>
/// Makes databases before they are asked for: each takes the server a seventh of a second, which is most of what a small test takes. Begins with
/// the third, because whoever asks for one or two has no use for more. Thread-safe.
/// </summary>
/// <param name="create">Makes one.</param>
internal sealed class SpareDatabases(Func<string> create)
{
    private const int Spares = 2;

    private readonly ConcurrentQueue<Task<string>> _spares = new();
    private int _taken;
    private volatile bool _closed;

    internal string Take()
    {
        var isWorthIt = Interlocked.Increment(ref _taken) > 2;
        var database = _spares.TryDequeue(out var spare) && IsThere(spare) ? spare.Result : create();
        while (isWorthIt && !_closed && _spares.Count < Spares)
            _spares.Enqueue(Task.Run(create));
        return database;
    }

    /// <summary>No more are made; those that are being made are waited for.</summary>
    internal void Close()
    {
        _closed = true;
        while (_spares.TryDequeue(out var spare))
            IsThere(spare);
    }

    // One that was made while its server was stopped is not.
    private static bool IsThere(Task<string> spare)
    {
        ((IAsyncResult)spare).AsyncWaitHandle.WaitOne();
        return spare.Exception is null;
    }
}
