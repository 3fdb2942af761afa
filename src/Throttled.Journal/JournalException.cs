namespace Throttled.Journal;

/// <summary>A query cannot go on: the database refused it for a reason that waiting and repeating do not cure.</summary>
public class JournalException : Exception
{
    internal JournalException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
