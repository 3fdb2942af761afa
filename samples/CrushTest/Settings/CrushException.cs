namespace CrushTest.Settings;

/// <summary>Something that whoever started the crush test can mend. Its message says what and how.</summary>
internal sealed class CrushException(string message, Exception? inner = null) : Exception(message, inner);

/// <summary>Messages of others, as one sentence among ours.</summary>
internal static class Sentence
{
    internal static string Of(string message)
    {
        var text = message.ReplaceLineEndings(" ").TrimEnd();
        return text.EndsWith('.') || text.EndsWith('!') || text.EndsWith('?') ? text : text + ".";
    }
}
