namespace Throttled.Projections;

/// <summary>A projection cannot start, or refuses what it was told to do; the message says why, and what helps.</summary>
public sealed class ProjectionException : Exception
{
    internal ProjectionException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
