using System.Data.Common;
using System.Runtime.InteropServices;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Relational;

/// <summary>Reads tags from the tag table. Orderings below the tag horizon have no tags. Thread-safe.</summary>
internal sealed class AdoTags(AdoDialect dialect, AdoSql sql)
{
    private long _horizon;

    private long Horizon
    {
        get => Volatile.Read(ref _horizon);
        set => Volatile.Write(ref _horizon, value);
    }

    /// <summary>Adds the tags to events, if any of them may have one.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadAsync(IAdoSession session, Func<long, List<JournalEvent>> eventsFrom, CancellationToken cancellation) =>
        ReadAsync(session, eventsFrom(Horizon), cancellation);

    /// <summary>Adds the tags to events that each have one. Ignores the tag horizon, which may be older than the events.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadAllAsync(IAdoSession session, OrderedRows rows, CancellationToken cancellation) => ReadAsync(session, rows.EventsFrom(0), cancellation);

    /// <summary>Adds the tags of orderings that may have any.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal async Task ReadAsync(IAdoSession session, IEnumerable<long> orderings, Dictionary<long, IReadOnlyList<string>> into, CancellationToken cancellation)
    {
        var horizon = Horizon;
        long[] asked = [.. orderings.Where(ordering => ordering >= horizon).Order()];
        await FindAsync(session, asked, Deliver, cancellation).ConfigureAwait(false);

        void Deliver(int place, List<string> tags) => into[asked[place]] = [.. into.GetValueOrDefault(asked[place], []), .. tags];
    }

    internal void ForgetHorizon() => Horizon = 0;

    /// <summary>Reads the tag horizon again.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadHorizonAsync(IAdoSession session, long settled, CancellationToken cancellation) => RunAsync(
        session,
        async () =>
        {
            var first = await session.ScalarAsync(sql.FirstTagged, cancellation).ConfigureAwait(false) as long?;
            Horizon = Math.Min(settled + 1, first ?? long.MaxValue);
        },
        cancellation);

    /// <exception cref="MissingTagTableException">There is no such table, though there is a journal.</exception>
    internal async Task RunAsync(IAdoSession session, Func<Task> read, CancellationToken cancellation)
    {
        try
        {
            await read().ConfigureAwait(false);
        }
        catch (DbException error) when (dialect.IsMissingTable(error))
        {
            var isThere = await session.ScalarAsync(dialect.IsThere, cancellation, dialect.Of(sql.JournalTable)).ConfigureAwait(false);
            if (AdoDialect.IsTrue(isThere))
                throw new MissingTagTableException(sql.TagTable, error);
            throw;
        }
    }

    private async Task ReadAsync(IAdoSession session, List<JournalEvent> requested, CancellationToken cancellation)
    {
        JournalEvent[] events = [.. requested];
        var orderings = Array.ConvertAll(events, one => one.Ordering);
        Array.Sort(orderings, events);
        long[] asked = [.. orderings.Where((ordering, place) => place == 0 || ordering != orderings[place - 1])];
        await FindAsync(session, asked, Deliver, cancellation).ConfigureAwait(false);

        // Several members may have asked for the same event.
        void Deliver(int place, List<string> tags)
        {
            var of = Array.BinarySearch(orderings, asked[place]);
            while (of > 0 && orderings[of - 1] == asked[place])
                of--;
            for (; of < events.Length && orderings[of] == asked[place]; of++)
                events[of].Tag([.. events[of].Tags, .. tags]);
        }
    }

    private async Task FindAsync(IAdoSession session, long[] asked, Action<int, List<string>> deliver, CancellationToken cancellation)
    {
        if (asked.Length == 0)
            return;
        // A page in journal order has nearly all orderings between its first and its last, so one index seek is enough.
        var isRange = asked[^1] - asked[0] < 2L * asked.Length;
        var tags = new TagsOfRows(dialect.NewText(), deliver, named => isRange ? Array.BinarySearch(asked, named) : sql.PlaceOf(named, asked));
        await RunAsync(
            session,
            () => isRange
                ? session.ReadAsync(sql.TagsBetween, tags.Take, cancellation, dialect.Of(asked[0]), dialect.Of(asked[^1]))
                : session.ReadAsync(sql.Tags, tags.Take, cancellation, dialect.Of(asked)),
            cancellation).ConfigureAwait(false);
        tags.Complete();
    }
}

/// <summary>
/// Collects tags. Each row has the ordering of an event, or its number in a list of orderings, and one tag. The rows of one event should follow one
/// another. If they do not, the event still gets all its tags, in several deliveries. Used by one statement.
/// </summary>
/// <param name="text">Reads a text.</param>
/// <param name="deliver">Adds tags to the event at an index. The list is reused.</param>
/// <param name="placeOf">Returns the index, from 0, for the first column of a row; negative if the event was not requested.</param>
internal sealed class TagsOfRows(Func<DbDataReader, int, string> text, Action<int, List<string>> deliver, Func<long, int> placeOf)
{
    private readonly Dictionary<string, string> _known = new(StringComparer.Ordinal);
    private readonly List<string> _tags = [];
    private long _of;

    /// <summary>Takes in a row.</summary>
    /// <returns>Always true: all rows are needed.</returns>
    internal bool Take(DbDataReader row)
    {
        var of = row.GetInt64(0);
        if (of != _of)
            Complete();
        _of = of;
        var tag = text(row, 1);
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
