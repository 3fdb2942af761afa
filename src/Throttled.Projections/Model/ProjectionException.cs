namespace Throttled.Projections;

/// <summary>A projection cannot start, or refuses a command. The message says why and what to do.</summary>
public sealed class ProjectionException : Exception
{
    internal ProjectionException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
