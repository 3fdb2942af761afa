namespace Tail.Settings;

/// <summary>Something that whoever started the tool can mend; its message says what and how.</summary>
internal sealed class TailException(string message, Exception? inner = null) : Exception(message, inner)
{
    internal static TailException OfConnection(ArgumentException error) => new($"--connection cannot be used: {error.Message}", error);
}
