namespace Tail.Settings;

/// <summary>An error that the user can correct; the message says what is wrong and what to do.</summary>
internal sealed class TailException(string message, Exception? inner = null) : Exception(message, inner)
{
    internal static TailException OfConnection(ArgumentException error) => new($"--connection cannot be used: {error.Message}", error);
}
