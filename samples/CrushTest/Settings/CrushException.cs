namespace CrushTest.Settings;

/// <summary>An error that the user of the crush test can correct. The message says how.</summary>
internal sealed class CrushException(string message, Exception? inner = null) : Exception(message, inner);

/// <summary>Makes a sentence of a message from the driver or from a library.</summary>
internal static class Sentence
{
    internal static string Of(string message)
    {
        var text = message.ReplaceLineEndings(" ").TrimEnd();
        return text.EndsWith('.') || text.EndsWith('!') || text.EndsWith('?') ? text : text + ".";
    }
}
