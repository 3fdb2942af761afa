namespace Throttled.Journal.Sql;

/// <summary>Refuses a second call while one runs. Thread-safe.</summary>
/// <param name="who">Who is called, as the user knows it.</param>
internal sealed class SingleCall(string who)
{
    private int _running;

    /// <exception cref="InvalidOperationException">A call runs.</exception>
    internal async Task RunAsync(Func<Task> call)
    {
        if (Interlocked.Exchange(ref _running, 1) == 1)
            throw new InvalidOperationException($"{who} takes one call at a time, and one is still running; await it first.");
        try
        {
            await call().ConfigureAwait(false);
        }
        finally
        {
            Volatile.Write(ref _running, 0);
        }
    }
}
