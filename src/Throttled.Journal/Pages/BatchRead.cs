using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Pages;

/// <summary>Reads the rows of all members of a batch with one statement, then gives each member its result.</summary>
internal abstract class BatchRead(BatchRows rows)
{
    internal BatchRows Rows => rows;

    /// <summary>Runs the statement. Off the loop.</summary>
    internal abstract Task RunAsync(IJournalDatabase database, CancellationToken cancellation);

    /// <summary>Gives a member its result. On the loop.</summary>
    /// <returns>False if the statement ended before it reached the member.</returns>
    internal abstract bool Give(int member, PageRequest to);
}

/// <summary>Reads pages by persistence id, one for each member.</summary>
internal sealed class ByIdBatchRead(ByIdRows rows) : BatchRead(rows)
{
    internal override Task RunAsync(IJournalDatabase database, CancellationToken cancellation) => database.ReadPagesAsync(rows, cancellation);

    internal override bool Give(int member, PageRequest to)
    {
        if (rows.Pages[member] is not { } result)
            return false;
        ((IByIdPageRequest)to).Accept(result);
        return true;
    }
}

/// <summary>Reads in journal order for members that want the same or nearly the same rows.</summary>
internal sealed class OrderedBatchRead(OrderedRows rows) : BatchRead(rows)
{
    internal override Task RunAsync(IJournalDatabase database, CancellationToken cancellation) => database.ReadOrderedAsync(rows, cancellation);

    internal override bool Give(int member, PageRequest to)
    {
        ((IOrderedPageRequest)to).Accept(rows.Results[member]);
        return true;
    }
}

/// <summary>Reads persistence ids for one member.</summary>
internal sealed class IdsBatchRead(IdsRows rows) : BatchRead(rows)
{
    internal override Task RunAsync(IJournalDatabase database, CancellationToken cancellation) => database.ReadIdsAsync(rows, cancellation);

    internal override bool Give(int member, PageRequest to)
    {
        ((IIdsPageRequest)to).Accept(rows.Result);
        return true;
    }
}

/// <summary>Searches backwards from the end of the journal for members with the same request.</summary>
internal sealed class FromEndBatchRead(FromEndRows rows) : BatchRead(rows)
{
    internal override Task RunAsync(IJournalDatabase database, CancellationToken cancellation) => database.ReadFromEndAsync(rows, cancellation);

    internal override bool Give(int member, PageRequest to)
    {
        ((IOrderedPageRequest)to).Accept(rows.Result);
        return true;
    }
}

internal sealed class BatchReadFactory(JournalOptions options, ByteBudget budget)
{
    /// <summary>The orderings that one statement scans for tags in the journal's rows. No index exists for this search.</summary>
    internal const long TagWindow = 50_000;

    /// <summary>Creates the read of a batch from which no member was removed. Each member creates its request.</summary>
    internal BatchRead Of(PageBatch batch) => batch[0] switch
    {
        IByIdPageRequest => new ByIdBatchRead(ById(batch)),
        IOrderedPageRequest { FromEnd: > 0 } request => new FromEndBatchRead(FromEnd(request, batch.Limit)),
        IOrderedPageRequest => new OrderedBatchRead(Ordered(batch)),
        _ => new IdsBatchRead(new(((IIdsPageRequest)batch[0]!).CreateRequest(), Math.Min(options.MaxRowsPerStatement, batch.Limit), budget)),
    };

    private ByIdRows ById(PageBatch batch)
    {
        var requests = batch.Members.Select(member => ((IByIdPageRequest)member).CreateRequest());
        return new([.. requests.Select(request => request with { Limit = Math.Min(request.Limit, batch.Limit) })], options.MaxRowsPerStatement, budget);
    }

    private OrderedRows Ordered(PageBatch batch)
    {
        var unlimited = batch.Members.Select(member => ((IOrderedPageRequest)member).CreateRequest());
        OrderedRequest[] requests = [.. unlimited.Select(request => request with { Limit = Math.Min(request.Limit, batch.Limit) })];
        var limits = Limits(requests, batch.Limit);
        // A scan for slices ends by its row count, not when a page is full. Stopping it in the middle would cost a connection.
        for (var i = 0; i < requests.Length; i++)
        {
            if (requests[i].Filter.Slices != SliceRange.All)
                requests[i] = requests[i] with { Limit = limits.MaxRows };
        }
        return new(requests, limits, budget);
    }

    // Tags in a column are searched in all rows, and most rows may have other tags.
    private FromEndRows FromEnd(IOrderedPageRequest request, int limit)
    {
        var isScan = request.Filter.Tag is not null && options.Tables.TagMode == TagMode.Csv;
        var rows = isScan ? int.MaxValue : (long)request.FromEnd * JournalSlices.Count / request.Filter.Slices.Count;
        return new(request.Filter, request.Position, request.FromEnd, MaxRows(rows, Share(limit)));
    }

    // Most rows of a scan for some slices may belong to other slices, so the scan reads proportionally more rows.
    private OrderedLimits Limits(OrderedRequest[] requests, int limit)
    {
        var isTagged = requests[0].Filter.Tag is not null;
        var isScan = isTagged && options.Tables.TagMode == TagMode.Csv;
        var rows = isScan
            ? (long)requests.Max(request => request.Limit) * requests.DistinctBy(request => request.Filter.Tag, StringComparer.Ordinal).Count()
            : requests.Max(request => (long)request.Limit * JournalSlices.Count / request.Filter.Slices.Count);
        var share = Share(limit);
        return new(MaxRows(rows, share), isScan ? Math.Max(1, (long)(TagWindow * share)) : long.MaxValue, TagsComeLater: isTagged && !isScan);
    }

    // A statement that timed out is retried with half the rows and half the window.
    private double Share(int limit) => Math.Min(1.0, (double)limit / options.MaxBufferSize);

    private int MaxRows(long wanted, double share) => (int)Math.Max(1, Math.Min(options.MaxRowsPerStatement * share, wanted));
}
