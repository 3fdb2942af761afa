namespace Throttled.Tool.CommandLine;

/// <summary>An error that whoever runs the command can correct. The message says what is wrong and how to correct it.</summary>
internal class CommandException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>Parses a connection string, or opens its database. <paramref name="source"/> says where the string comes from, for the message.</summary>
    /// <exception cref="CommandException">The connection string cannot be used.</exception>
    internal static T OfConnection<T>(Func<T> open, string source = "--connection")
    {
        try
        {
            return open();
        }
        catch (ArgumentException error)
        {
            throw new CommandException($"{source} cannot be used: {error.Message}", error);
        }
    }
}

/// <summary>The command was interrupted. The message says what happens to what it has begun.</summary>
internal sealed class InterruptedException(string message, Exception inner) : OperationCanceledException(message, inner);

/// <summary>Messages of drivers and libraries, as one sentence among ours.</summary>
internal static class Sentence
{
    internal static string Of(string message)
    {
        var text = message.ReplaceLineEndings(" ").TrimEnd();
        return text.EndsWith('.') || text.EndsWith('!') || text.EndsWith('?') ? text : text + ".";
    }
}
