namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>Finds the name that a mistyped one is likely to mean.</summary>
internal static class NearName
{
    private const int MostEdits = 3;

    /// <summary>A mistyped name, with the name that is likely meant.</summary>
    internal static string Suggest(string name, IEnumerable<string> known) =>
        known.Where(each => IsNear(name, each)).MinBy(each => Edits(name, each)) is { } near ? $"'{name}' (is '{near}' meant?)" : $"'{name}'";

    /// <summary>Whether two names differ by a few letters.</summary>
    internal static bool IsNear(string one, string other)
    {
        var most = Math.Min(MostEdits, (other.Length + 1) / 3);
        return Math.Abs(one.Length - other.Length) <= most && Edits(one, other) <= most;
    }

    // Letters to insert, remove or replace (Levenshtein).
    private static int Edits(string one, string other)
    {
        int[] row = [.. Enumerable.Range(0, other.Length + 1)];
        for (var i = 1; i <= one.Length; i++)
        {
            var diagonal = row[0];
            row[0] = i;
            for (var j = 1; j <= other.Length; j++)
            {
                var replaced = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, Math.Min(row[j], row[j - 1]) + 1);
            }
        }
        return row[^1];
    }
}
