using System.Collections.Concurrent;

namespace Throttled.Testing;

/// <summary>
/// Hands out empty databases. A database that a test gave back is emptied for the next, which takes a few milliseconds where a new one
/// takes a tenth of a second; new ones are made ahead, from the third on, because most tests ask for one or two. Thread-safe.
/// </summary>
/// <param name="create">Makes a database.</param>
/// <param name="empty">Empties one; false where that failed, and the database is left alone from then on.</param>
internal sealed class DatabasePool(Func<string> create, Func<string, bool> empty)
{
    private const int Spares = 2;

    private readonly ConcurrentQueue<string> _used = new();
    private readonly ConcurrentQueue<Task<string>> _spares = new();
    private int _taken;
    private volatile bool _closed;

    internal string Take()
    {
        while (_used.TryDequeue(out var used))
            if (empty(used))
                return used;
        var isWorthIt = Interlocked.Increment(ref _taken) > 2;
        var database = _spares.TryDequeue(out var spare) && IsThere(spare) ? spare.Result : create();
        while (isWorthIt && !_closed && _spares.Count < Spares)
            _spares.Enqueue(Task.Run(create));
        return database;
    }

    /// <summary>Gives back a database that nobody uses any more.</summary>
    internal void Return(string database) => _used.Enqueue(database);

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
