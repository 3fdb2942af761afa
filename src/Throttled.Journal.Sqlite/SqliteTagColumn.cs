using System.Text;

namespace Throttled.Journal.Sqlite;

/// <summary>
/// Finds rows by the tags in their column. SQLite searches for a single tag itself. It would search for several tags one after
/// the other in each row. From four tags on, it is faster to search the bytes of each row that has any tag.
/// </summary>
internal sealed class SqliteTagColumn
{
    private readonly byte[][]? _tags;

    internal SqliteTagColumn(IReadOnlyList<string> tags, char separator)
    {
        Least = tags.Count == 1 ? $"{separator}{tags[0]}{separator}" : separator.ToString();
        if (tags.Count > 1)
            _tags = [.. tags.Select(tag => Encoding.UTF8.GetBytes($"{separator}{tag}{separator}"))];
    }

    /// <summary>A text that the column of every wanted row contains.</summary>
    internal string Least { get; }

    /// <summary>Whether a row whose column contains <see cref="Least"/> has one of the tags.</summary>
    internal bool IsWanted(PreparedStatement row, int column)
    {
        if (_tags is null)
            return true;
        var found = row.TextBytes(column);
        foreach (var tag in _tags)
        {
            if (found.IndexOf(tag) >= 0)
                return true;
        }
        return false;
    }
}
