namespace Throttled.Journal.SqlServer;

/// <summary>Keeps one copy of a text that consecutive rows share. Used by one statement.</summary>
internal sealed class RepeatedText
{
    private string _last = "";

    /// <returns>The text; if it equals the one before it, that one.</returns>
    internal string Of(string text) => text == _last ? _last : _last = text;
}
