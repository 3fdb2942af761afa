using Throttled.Journal.Sql;

namespace Throttled.Journal.Pages;

/// <summary>Makes the statement of a batch.</summary>
internal sealed class PageStatements(JournalOptions options, ByteBudget budget)
{
    /// <summary>Orderings that one look for tags in the journal's rows goes through: there is no index that could help.</summary>
    internal const long TagWindow = 50_000;

    /// <summary>The statement of a batch that nobody has left; tells its members that they start.</summary>
    internal IPageStatement Of(PageBatch batch) => batch[0] switch
    {
        IByIdRequest => ById(batch),
        IOrderedRequest { FromEnd: > 0 } request => FromEnd(request, batch.Limit),
        IOrderedRequest => Ordered(batch),
        _ => new IdsStatement(((IIdsRequest)batch[0]!).Start(), Math.Min(options.MaxRowsPerStatement, batch.Limit), budget),
    };

    private PageStatement ById(PageBatch batch)
    {
        var asks = new PageAsk[batch.Size];
        for (var i = 0; i < asks.Length; i++)
        {
            var ask = ((IByIdRequest)batch[i]!).Start();
            asks[i] = ask with { Limit = Math.Min(ask.Limit, batch.Limit) };
        }
        return new(asks, options.MaxRowsPerStatement, budget);
    }

    private OrderedStatement Ordered(PageBatch batch)
    {
        var asks = new OrderedAsk[batch.Size];
        for (var i = 0; i < asks.Length; i++)
        {
            var ask = ((IOrderedRequest)batch[i]!).Start();
            asks[i] = ask with { Limit = Math.Min(ask.Limit, batch.Limit) };
        }
        var limits = Limits(asks, batch.Limit);
        // A scan for slices ends by its count of rows, whoever they are for: to stop it in the middle would cost a connection.
        for (var i = 0; i < asks.Length; i++)
        {
            if (asks[i].Filter.Slices != SliceRange.All)
                asks[i] = asks[i] with { Limit = limits.MaxRows };
        }
        return new(asks, limits, budget);
    }

    // Tags in a column are searched in all rows, and most of those may have other tags.
    private FromEndStatement FromEnd(IOrderedRequest request, int limit)
    {
        var isScan = request.Filter.Tag is not null && options.Tables.TagMode == TagMode.Csv;
        var rows = isScan ? int.MaxValue : (long)request.FromEnd * JournalSlices.Count / request.Filter.Slices.Count;
        return new(request.Filter, request.Position, request.FromEnd, MaxRows(rows, Share(limit)));
    }

    // Most rows of a scan for some slices may be of other slices, so read on until there are enough.
    private OrderedLimits Limits(OrderedAsk[] asks, int limit)
    {
        var isTagged = asks[0].Filter.Tag is not null;
        var isScan = isTagged && options.Tables.TagMode == TagMode.Csv;
        var rows = isScan
            ? (long)asks.Max(ask => ask.Limit) * asks.DistinctBy(ask => ask.Filter.Tag, StringComparer.Ordinal).Count()
            : asks.Max(ask => (long)ask.Limit * JournalSlices.Count / ask.Filter.Slices.Count);
        var share = Share(limit);
        return new(
            MaxRows(rows, share),
            isScan ? Math.Max(1, (long)(TagWindow * share)) : long.MaxValue,
            TagsComeLater: isTagged && !isScan);
    }

    // A statement that timed out is tried again with half the rows and half the window.
    private double Share(int limit) => Math.Min(1.0, (double)limit / options.MaxBufferSize);

    private int MaxRows(long wanted, double share) => (int)Math.Max(1, Math.Min(options.MaxRowsPerStatement * share, wanted));
}
