using Npgsql;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Reads tags from the tag table. Orderings below the tag horizon have no tags. Thread-safe.</summary>
internal sealed class PostgreSqlTags(PostgreSqlJournalSql sql)
{
    private long _horizon;

    private long Horizon
    {
        get => Volatile.Read(ref _horizon);
        set => Volatile.Write(ref _horizon, value);
    }

    /// <summary>Adds the tags to events, if any of them may have one.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadAsync(PostgreSqlSession session, Func<long, List<JournalEvent>> eventsFrom, CancellationToken cancellation) =>
        ReadAsync(session, eventsFrom, Horizon, cancellation);

    private async Task ReadAsync(
        PostgreSqlSession session, Func<long, List<JournalEvent>> eventsFrom, long horizon, CancellationToken cancellation)
    {
        var requested = eventsFrom(horizon);
        var orderings = requested.ConvertAll(one => one.Ordering).ToArray();
        await ReadAsync(session, orderings, Deliver, cancellation).ConfigureAwait(false);

        void Deliver(int place, List<string> tags) => requested[place].Tag([.. requested[place].Tags, .. tags]);
    }

    /// <summary>Adds the tags of orderings that may have any.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal async Task ReadAsync(
        PostgreSqlSession session, IEnumerable<long> orderings, Dictionary<long, IReadOnlyList<string>> into, CancellationToken cancellation)
    {
        var horizon = Horizon;
        var asked = orderings.Where(ordering => ordering >= horizon).ToArray();
        await ReadAsync(session, asked, Deliver, cancellation).ConfigureAwait(false);

        void Deliver(int place, List<string> tags) => into[asked[place]] = [.. into.GetValueOrDefault(asked[place], []), .. tags];
    }

    /// <summary>Adds the tags to events that each have one. Ignores the tag horizon, which may be older than the events.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadAllAsync(PostgreSqlSession session, OrderedRows rows, CancellationToken cancellation) =>
        ReadAsync(session, rows.EventsFrom, horizon: 0, cancellation);

    internal void ForgetHorizon() => Horizon = 0;

    /// <summary>Reads the tag horizon again.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadHorizonAsync(PostgreSqlSession session, long settled, CancellationToken cancellation) => RunAsync(
        session,
        async () =>
        {
            var first = await session.ScalarAsync(sql.FirstTagged, cancellation).ConfigureAwait(false) as long?;
            Horizon = Math.Min(settled + 1, first ?? long.MaxValue);
        },
        cancellation);

    /// <exception cref="MissingTagTableException">There is no such table, though there is a journal.</exception>
    internal async Task RunAsync(PostgreSqlSession session, Func<Task> read, CancellationToken cancellation)
    {
        try
        {
            await read().ConfigureAwait(false);
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.UndefinedTable)
        {
            if (await session.ScalarAsync(PostgreSqlCatalogSql.IsThere, cancellation, Of(sql.JournalTable)).ConfigureAwait(false) is true)
                throw new MissingTagTableException(sql.TagTable, error);
            throw;
        }
    }

    private async Task ReadAsync(
        PostgreSqlSession session, long[] orderings, Action<int, List<string>> deliver, CancellationToken cancellation)
    {
        if (orderings.Length == 0)
            return;
        // A page in journal order has nearly all orderings between its first and its last, so one index seek is enough.
        var isRange = TagsOfRows.IsRange(orderings);
        var tags = new TagsOfRows(deliver, isRange ? ordering => Array.BinarySearch(orderings, ordering) : place => (int)place - 1);
        await RunAsync(
            session,
            () => isRange
                ? session.ReadAsync(sql.TagsBetween, tags.Take, cancellation, Of(orderings[0]), Of(orderings[^1]))
                : session.ReadAsync(sql.Tags, tags.Take, cancellation, Of(orderings)),
            cancellation).ConfigureAwait(false);
        tags.Complete();
    }
}
