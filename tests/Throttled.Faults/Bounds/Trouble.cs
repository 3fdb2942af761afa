namespace Throttled.Faults.Bounds;

/// <summary>A journal whose statements can be made to hang or to fail.</summary>
internal abstract class Trouble(JournalUnderTest journal) : IAsyncDisposable
{
    internal JournalUnderTest Journal => journal;

    internal abstract JournalReader OpenReader(JournalOptions options);

    /// <summary>From now on, a statement that reads events does not end by itself.</summary>
    internal abstract Task BlockAsync();

    /// <summary>From now on, new connections are not answered, and a statement that reads events does not end by itself.</summary>
    /// <param name="count">The number of connections that wait when the inner task ends.</param>
    internal abstract Task<Task> BlockConnectionsAsync(int count);

    /// <summary>Statements that read events fail, from before the action until a condition holds. Each failure concerns only its own queries.</summary>
    internal abstract Task FailAsync(Action begin, Func<Task<bool>> until);

    /// <summary>The journal is missing.</summary>
    internal abstract Task BreakAsync();

    /// <summary>Everything works again.</summary>
    internal abstract Task EndAsync();

    /// <summary>The number of statements of readers that run now, as the database reports it; 0 if it cannot.</summary>
    internal abstract Task<long> RunningAsync();

    public virtual ValueTask DisposeAsync() => journal.DisposeAsync();
}
