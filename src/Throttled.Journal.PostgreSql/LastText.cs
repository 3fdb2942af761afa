namespace Throttled.Journal.PostgreSql;

/// <summary>Remembers the last text, so that a manifest that stands in each row of a page is kept in memory once.</summary>
internal sealed class LastText
{
    private string _last = "";

    internal string Same(string text) => text == _last ? _last : _last = text;
}
