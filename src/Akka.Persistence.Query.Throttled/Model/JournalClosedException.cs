namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// The read journal is closed, because its actor system terminates and its user actors have stopped. The database is not the
/// cause. Starting the query again in the same actor system fails in the same way.
/// </summary>
public sealed class JournalClosedException : ObjectDisposedException
{
    internal JournalClosedException(string pluginId, string system, Exception? cause = null)
        : base($"The read journal '{pluginId}' is closed, because its actor system '{system}' terminates.", cause)
    {
    }
}
