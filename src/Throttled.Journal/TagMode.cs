namespace Throttled.Journal;

/// <summary>Where a journal keeps the tags of its events.</summary>
public enum TagMode
{
    /// <summary>In a table of their own, a row a tag.</summary>
    TagTable,

    /// <summary>In a column of the event's row, between separators: <c>;blue;green;</c>.</summary>
    Csv,
}
