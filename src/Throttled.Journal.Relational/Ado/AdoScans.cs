using System.Data.Common;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Relational;

/// <summary>Runs the statements of queries: pages of ids, events in journal order, persistence ids.</summary>
internal abstract class AdoScans(AdoContext context)
{
    private readonly AdoDialect _dialect = context.Dialect;
    private readonly AdoSql _sql = context.Sql;

    protected AdoContext Context => context;

    internal async Task ReadPagesAsync(IAdoSession session, ByIdRows rows, CancellationToken cancellation)
    {
        await ReadMembersAsync(session, rows, context.NewDecoder(), cancellation).ConfigureAwait(false);
        if (!context.IsCsv)
            await context.Tags.ReadAsync(session, rows.EventsFrom, cancellation).ConfigureAwait(false);
    }

    internal async Task ReadOrderedAsync(IAdoSession session, OrderedRows rows, CancellationToken cancellation)
    {
        if (context.IsCsv || rows.Tags is null)
            await ReadWindowAsync(session, rows, cancellation).ConfigureAwait(false);
        else
            await ReadTaggedAsync(session, rows, cancellation).ConfigureAwait(false);
        if (context.IsCsv)
            return;
        await (rows.Tags is null
            ? context.Tags.ReadAsync(session, rows.EventsFrom, cancellation)
            : context.Tags.ReadAllAsync(session, rows, cancellation)).ConfigureAwait(false);
    }

    internal Task ReadFromEndAsync(IAdoSession session, FromEndRows rows, CancellationToken cancellation)
    {
        var (below, limit) = (_dialect.Of(rows.Below), _dialect.Of(rows.MaxRows));
        var decoder = context.NewDecoder();
        return rows.Tag is not { } tag || context.IsCsv
            ? session.ReadAsync(_sql.FromEnd, Take, cancellation, below, limit)
            : context.Tags.RunAsync(session, () => session.ReadAsync(_sql.FromEndByTable, Take, cancellation, below, _dialect.Of(tag), limit), cancellation);

        bool Take(DbDataReader row)
        {
            var ordering = row.GetInt64(0);
            var id = row.IsDBNull(1) || RowDecoder.IsDeleted(row, first: 0) ? null : row.GetString(2);
            rows.Add(ordering, id, rows.Tag is null ? [] : context.IsCsv ? decoder.Tags(row, 3) : [row.GetString(3)]);
            // Read to the last row: an early stop would cost a connection or a round trip.
            return true;
        }
    }

    internal Task ReadIdsAsync(IAdoSession session, IdsRows rows, CancellationToken cancellation)
    {
        var count = 0;
        return rows.After is { } after
            ? session.ReadAsync(_sql.Ids, Take, cancellation, _dialect.Of(after), _dialect.Of(rows.Limit))
            : session.ReadAsync(_sql.FirstIds, Take, cancellation, _dialect.Of(rows.Limit));

        // The statement ends by itself at its last row. A cancel would cost a connection or a round trip.
        bool Take(DbDataReader row) => AddId(row, rows) | ++count >= rows.Limit;
    }

    /// <summary>Reads the pages of all members, without the tags that are in a table.</summary>
    protected abstract Task ReadMembersAsync(IAdoSession session, ByIdRows rows, RowDecoder decoder, CancellationToken cancellation);

    /// <summary>Adds a row of <see cref="AdoSql.Ids"/>.</summary>
    /// <returns>As <see cref="IdsRows.Add"/>.</returns>
    protected abstract bool AddId(DbDataReader row, IdsRows rows);

    /// <summary>The wanted tags of <see cref="AdoSql.OrderedByColumn"/>.</summary>
    /// <param name="tags">The tags between separators.</param>
    protected abstract DbParameter Wanted(IEnumerable<string> tags);

    /// <summary>How to read the rows of <see cref="AdoSql.Ordered"/> and <see cref="AdoSql.OrderedByColumn"/>.</summary>
    protected virtual WindowReading Window(OrderedRows rows)
    {
        var decoder = context.NewDecoder();
        return new(row => Take(row, first: 0, row.GetInt64(0), rows, decoder), []);
    }

    private Task ReadWindowAsync(IAdoSession session, OrderedRows rows, CancellationToken cancellation)
    {
        var (after, upTo, limit) = (_dialect.Of(rows.After), _dialect.Of(rows.UpTo), _dialect.Of(rows.MaxRows));
        var window = Window(rows);
        return rows.Tags is null
            ? session.ReadAsync(_sql.Ordered, window.Take, cancellation, [after, upTo, limit, .. window.Parameters])
            : session.ReadAsync(
                _sql.OrderedByColumn, window.Take, cancellation, [after, upTo, Wanted(rows.Tags.Select(Marked)), limit, .. window.Parameters]);
    }

    private Task ReadTaggedAsync(IAdoSession session, OrderedRows rows, CancellationToken cancellation)
    {
        var decoder = context.NewDecoder();
        return context.Tags.RunAsync(
            session,
            () => session.ReadAsync(
                _sql.OrderedByTable,
                Take,
                cancellation,
                _dialect.Of(rows.After),
                _dialect.Of(rows.UpTo),
                // A limit for several tags together could stop in the middle of one tag.
                _dialect.Of(rows.Tags!.Single()),
                _dialect.Of(rows.MaxRows)),
            cancellation);

        bool Take(DbDataReader row)
        {
            var ordering = row.GetInt64(0);
            return row.IsDBNull(1)
                ? rows.AddDeleted(ordering) || rows.Rows >= rows.MaxRows
                : AdoScans.Take(row, first: 1, ordering, rows, decoder);
        }
    }

    private static bool Take(DbDataReader row, int first, long ordering, OrderedRows rows, RowDecoder decoder)
    {
        var goesOn = RowDecoder.IsDeleted(row, first) ? rows.AddDeleted(ordering) : rows.Add(decoder.Event(row, first, ordering));
        return goesOn || rows.Rows >= rows.MaxRows;
    }

    private string Marked(string tag) => $"{context.Tables.TagSeparator}{tag}{context.Tables.TagSeparator}";
}

/// <summary>How to read the rows of a window in journal order.</summary>
/// <param name="Take">Takes a row; false if no more are needed.</param>
/// <param name="Parameters">What follows the parameters that all databases share.</param>
internal sealed record WindowReading(Func<DbDataReader, bool> Take, DbParameter[] Parameters);
