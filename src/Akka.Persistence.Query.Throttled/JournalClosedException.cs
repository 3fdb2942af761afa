namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// The read journal is closed, because its actor system terminates and its user actors have stopped. Nothing is wrong with the database, and a query
/// that begins again in the same actor system fails the same way.
/// </summary>
public sealed class JournalClosedException : Exception
{
    internal JournalClosedException(string pluginId, string system, Exception? cause = null)
        : base($"The read journal '{pluginId}' is closed, as it is when its actor system ('{system}') terminates.", cause)
    {
    }
}
