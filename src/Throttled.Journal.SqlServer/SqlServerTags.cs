using System.Data.Common;
using System.Runtime.InteropServices;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>Reads tags from the tag table. Orderings below the tag horizon have no tags. Thread-safe.</summary>
internal sealed class SqlServerTags(SqlServerJournalSql sql)
{
    private long _horizon;

    private long Horizon
    {
        get => Volatile.Read(ref _horizon);
        set => Volatile.Write(ref _horizon, value);
    }

    /// <summary>Adds the tags to events, if any of them may have one.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadAsync(SqlServerSession session, Func<long, List<JournalEvent>> eventsFrom, CancellationToken cancellation) =>
        ReadAsync(session, eventsFrom, Horizon, cancellation);

    /// <summary>Adds the tags to events that each have one. Ignores the tag horizon, which may be older than the events.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadAllAsync(SqlServerSession session, OrderedRows rows, CancellationToken cancellation) =>
        ReadAsync(session, rows.EventsFrom, horizon: 0, cancellation);

    /// <summary>Adds the tags of orderings that may have any.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal async Task ReadAsync(
        SqlServerSession session, IEnumerable<long> orderings, Dictionary<long, IReadOnlyList<string>> into, CancellationToken cancellation)
    {
        var horizon = Horizon;
        var found = await FindAsync(session, [.. orderings.Where(ordering => ordering >= horizon)], cancellation).ConfigureAwait(false);
        foreach (var (ordering, tags) in found)
            into[ordering] = [.. into.GetValueOrDefault(ordering, []), .. tags];
    }

    internal void ForgetHorizon() => Horizon = 0;

    /// <summary>Reads the tag horizon again.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadHorizonAsync(SqlServerSession session, long settled, CancellationToken cancellation) => RunAsync(
        session,
        async () =>
        {
            var first = await session.ScalarAsync(sql.FirstTagged, cancellation).ConfigureAwait(false) as long?;
            Horizon = Math.Min(settled + 1, first ?? long.MaxValue);
        },
        cancellation);

    /// <exception cref="MissingTagTableException">There is no such table, though there is a journal.</exception>
    internal async Task RunAsync(SqlServerSession session, Func<Task> read, CancellationToken cancellation)
    {
        try
        {
            await read().ConfigureAwait(false);
        }
        catch (SqlException error) when (SqlServerFaults.IsMissingTable(error))
        {
            if (await session.ScalarAsync(SqlServerCatalogSql.IsThere, cancellation, Of(sql.JournalTable)).ConfigureAwait(false) is 1)
                throw new MissingTagTableException(sql.TagTable, error);
            throw;
        }
    }

    private async Task ReadAsync(
        SqlServerSession session, Func<long, List<JournalEvent>> eventsFrom, long horizon, CancellationToken cancellation)
    {
        var requested = eventsFrom(horizon);
        var found = await FindAsync(session, [.. requested.Select(one => one.Ordering).Order().Distinct()], cancellation).ConfigureAwait(false);
        if (found.Count == 0)
            return;
        // Several members may have asked for the same event.
        foreach (var one in requested)
        {
            if (found.TryGetValue(one.Ordering, out var tags))
                one.Tag([.. one.Tags, .. tags]);
        }
    }

    private async Task<Dictionary<long, List<string>>> FindAsync(SqlServerSession session, long[] orderings, CancellationToken cancellation)
    {
        var found = new TagsFound();
        if (orderings.Length > 0)
            await RunAsync(session, () => FindAsync(session, orderings, found, cancellation), cancellation).ConfigureAwait(false);
        return found.All;
    }

    // A page in journal order has nearly all orderings between its first and its last, so one index seek is enough.
    private Task FindAsync(SqlServerSession session, long[] orderings, TagsFound found, CancellationToken cancellation) =>
        TagsOfRows.IsRange(orderings)
            ? session.ReadAsync(sql.TagsBetween, found.Take, cancellation, Of(orderings[0]), Of(orderings[^1]))
            : session.ReadAsync(sql.Tags, found.Take, cancellation, List(orderings));

    // Events with the same tag share one string.
    private sealed class TagsFound
    {
        private readonly Dictionary<string, string> _known = new(StringComparer.Ordinal);

        internal Dictionary<long, List<string>> All { get; } = [];

        internal bool Take(DbDataReader row)
        {
            var tag = row.GetString(1);
            (CollectionsMarshal.GetValueRefOrAddDefault(All, row.GetInt64(0), out _) ??= []).Add(
                CollectionsMarshal.GetValueRefOrAddDefault(_known, tag, out _) ??= tag);
            return true;
        }
    }
}
