namespace Throttled.Journal.Relational;

/// <summary>Tags in one column, each between separators: <c>;blue;green;</c>. Without tags, the column is empty or NULL.</summary>
internal static class CsvTags
{
    internal static IReadOnlyList<string> Parse(string column, char separator) =>
        column.Length == 0 ? [] : column.Split(separator, StringSplitOptions.RemoveEmptyEntries);

    internal static string Format(IReadOnlyList<string> tags, char separator) =>
        tags.Count == 0 ? "" : $"{separator}{string.Join(separator, tags)}{separator}";
}
