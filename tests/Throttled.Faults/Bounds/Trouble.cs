using Throttled.Journal;
using Throttled.Testing;

namespace Throttled.Faults.Bounds;

/// <summary>A journal whose statements can be made to hang or to fail.</summary>
internal abstract class Trouble(JournalUnderTest journal) : IAsyncDisposable
{
    internal JournalUnderTest Journal => journal;

    internal abstract JournalReader OpenReader(JournalOptions options);

    /// <summary>From now on, a statement that reads events does not end by itself.</summary>
    internal abstract Task HoldAsync();

    /// <summary>From now on, new connections are not answered, and a statement that reads events does not end by itself.</summary>
    /// <param name="count">How many connections then wait at least, once the task ends that is returned in the task.</param>
    internal abstract Task<Task> HoldConnectionsAsync(int count);

    /// <summary>Statements that read events fail, from before something is begun until a condition holds; each concerns its own queries alone.</summary>
    internal abstract Task FailAsync(Action begin, Func<Task<bool>> until);

    /// <summary>The journal is not there.</summary>
    internal abstract Task GoAwayAsync();

    /// <summary>Everything works again.</summary>
    internal abstract Task EndAsync();

    /// <summary>Statements of readers that run now, as the database knows; 0 where it does not.</summary>
    internal abstract Task<long> RunningAsync();

    public virtual ValueTask DisposeAsync() => journal.DisposeAsync();
}
