using System.Data.Common;
using System.Runtime.InteropServices;

namespace Throttled.Journal.Relational;

/// <summary>
/// Collects tags. Each row has the ordering of an event, or its number in a list of orderings, and one tag. The rows of one event should follow one
/// another. If they do not, the event still gets all its tags, in several deliveries. Used by one statement.
/// </summary>
/// <param name="deliver">Adds tags to the event at an index. The list is reused.</param>
/// <param name="placeOf">Returns the index, from 0, for the first column of a row; negative if the event was not requested.</param>
internal sealed class TagsOfRows(Action<int, List<string>> deliver, Func<long, int> placeOf)
{
    private readonly Dictionary<string, string> _known = new(StringComparer.Ordinal);
    private readonly List<string> _tags = [];
    private long _of;

    /// <summary>Whether the orderings ascend and fill at least half of their range. One range condition then finds their tags.</summary>
    internal static bool IsRange(long[] orderings)
    {
        for (var i = 1; i < orderings.Length; i++)
        {
            if (orderings[i] <= orderings[i - 1])
                return false;
        }
        return orderings[^1] - orderings[0] < 2L * orderings.Length;
    }

    /// <summary>Takes in a row.</summary>
    /// <returns>Always true: all rows are needed.</returns>
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

    /// <summary>Delivers the tags of the last event. Call this after the last row.</summary>
    internal void Complete()
    {
        if (_tags.Count == 0)
            return;
        // If the index is negative, the event was not requested: it is deleted, or it belongs to another member.
        if (placeOf(_of) is >= 0 and var place)
            deliver(place, _tags);
        _tags.Clear();
    }
}
