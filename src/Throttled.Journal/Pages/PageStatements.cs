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
        // A scan ends by its own count of rows: to stop it in the middle would cost a connection.
        for (var i = 0; asks[0].Filter.Tag is null && i < asks.Length; i++)
            asks[i] = asks[i] with { Limit = limits.MaxRows };
        return new(asks, limits, budget);
    }

    // Of a scan for some slices most rows may be for nobody: as many are read as bring what was asked for.
    private OrderedLimits Limits(OrderedAsk[] asks, int limit)
    {
        var isTagged = asks[0].Filter.Tag is not null;
        var isScan = isTagged && options.Tables.TagMode == TagMode.Csv;
        var rows = isScan
            ? (long)asks.Max(ask => ask.Limit) * asks.DistinctBy(ask => ask.Filter.Tag, StringComparer.Ordinal).Count()
            : asks.Max(ask => (long)ask.Limit * JournalSlices.Count / ask.Filter.Slices.Count);
        // A statement that timed out is tried again with half the rows, and half the window.
        var window = (long)(TagWindow * Math.Min(1.0, (double)limit / options.MaxRowsPerStatement));
        return new(
            (int)Math.Min(options.MaxRowsPerStatement, rows),
            isScan ? Math.Max(1, window) : long.MaxValue,
            TagsComeLater: isTagged && !isScan);
    }
}
