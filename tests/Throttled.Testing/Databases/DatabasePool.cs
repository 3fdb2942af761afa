using System.Collections.Concurrent;

namespace Throttled.Testing;

/// <summary>
/// Provides empty databases. It empties a database that a test gave back, which takes a few milliseconds; a new one
/// takes a tenth of a second. From the third on, it creates new ones in advance, because most tests need one or two. Thread-safe.
/// </summary>
/// <param name="create">Creates a database.</param>
/// <param name="empty">Empties a database. If it returns false, the database is not used again.</param>
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

    internal void Return(string database) => _used.Enqueue(database);

    /// <summary>Stops creating databases in advance, and waits for those that are being created.</summary>
    internal void Close()
    {
        _closed = true;
        while (_spares.TryDequeue(out var spare))
            IsThere(spare);
    }

    // The creation of a spare database fails if its server is stopped meanwhile.
    private static bool IsThere(Task<string> spare)
    {
        ((IAsyncResult)spare).AsyncWaitHandle.WaitOne();
        return spare.Exception is null;
    }
}
