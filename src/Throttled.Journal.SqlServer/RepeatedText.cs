namespace Throttled.Journal.SqlServer;

/// <summary>Keeps one of the texts that rows which follow one another share. Used by one statement.</summary>
internal sealed class RepeatedText
{
    private string _last = "";

    /// <summary>The text, or the one before it where that is the same.</summary>
    internal string Of(string text) => text == _last ? _last : _last = text;
}
