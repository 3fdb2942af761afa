namespace Throttled.Journal.Sql;

/// <summary>Tags in one column, each between separators: <c>;blue;green;</c>. No tags are an empty string or NULL.</summary>
internal static class CsvTags
{
    internal static IReadOnlyList<string> Parse(string column, char separator) =>
        column.Length == 0 ? [] : column.Split(separator, StringSplitOptions.RemoveEmptyEntries);

    internal static string Format(IReadOnlyList<string> tags, char separator) =>
        tags.Count == 0 ? "" : $"{separator}{string.Join(separator, tags)}{separator}";

    /// <exception cref="ArgumentException">A tag of these events cannot stand between separators.</exception>
    internal static void Check(IEnumerable<JournalEvent> events, char separator)
    {
        foreach (var each in events)
        {
            foreach (var tag in each.Tags)
            {
                if (tag.Length == 0 || tag.Contains(separator, StringComparison.Ordinal))
                    throw Refused(tag, each, separator);
            }
        }
    }

    private static ArgumentException Refused(string tag, JournalEvent of, char separator) =>
        new(FormattableString.Invariant(
            $"Tag \"{tag}\" of '{of.PersistenceId}' {of.SequenceNumber} cannot stand between '{separator}'; ")
            + "it must not be empty or contain that. Use another tag, or TagMode.TagTable.");
}
