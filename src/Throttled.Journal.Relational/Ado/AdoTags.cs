using System.Data.Common;
using System.Runtime.InteropServices;

namespace Throttled.Journal.Relational;

/// <summary>
/// Gathers rows of an ordering, or of a place in a list of orderings, and one tag of it. Rows of one event follow one another; where they
/// should not, the tags are added up all the same. Used by one statement.
/// </summary>
/// <param name="deliver">Adds tags to those of a place; the list is used again.</param>
/// <param name="placeOf">The place of what a row names, from 0; negative where it was not requested.</param>
internal sealed class TagsOfRows(Action<int, List<string>> deliver, Func<long, int> placeOf)
{
    private readonly Dictionary<string, string> _known = new(StringComparer.Ordinal);
    private readonly List<string> _tags = [];
    private long _of;

    /// <summary>Whether orderings ascend and are nearly all between the first and the last, so that one range finds their tags.</summary>
    internal static bool IsRange(long[] orderings)
    {
        for (var i = 1; i < orderings.Length; i++)
        {
            if (orderings[i] <= orderings[i - 1])
                return false;
        }
        return orderings[^1] - orderings[0] < 2L * orderings.Length;
    }

    /// <summary>Takes a row.</summary>
    /// <returns>True: all rows are wanted.</returns>
    internal bool Take(DbDataReader row)
    {
        var of = row.GetInt64(0);
        if (of != _of)
            Complete();
        _of = of;
        var tag = row.GetString(1);
        _tags.Add(CollectionsMarshal.GetValueRefOrAddDefault(_known, tag, out _) ??= tag);
        return true;
    }

    /// <summary>Gives the tags of the last rows.</summary>
    internal void Complete()
    {
        if (_tags.Count == 0)
            return;
        // Tags of what was not requested: deleted, or another member's.
        if (placeOf(_of) is >= 0 and var place)
            deliver(place, _tags);
        _tags.Clear();
    }
}
