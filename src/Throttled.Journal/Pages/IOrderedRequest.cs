using Throttled.Journal.Sql;

namespace Throttled.Journal.Pages;

/// <summary>A request for a page in journal order. Requests for the same or nearly the same rows share a statement.</summary>
internal interface IOrderedRequest
{
    /// <summary>Which events it wants.</summary>
    EventFilter Filter { get; }

    /// <summary>The ordering after which it reads; while <see cref="FromEnd"/> is not 0, the ordering below which it searches for its beginning.</summary>
    long Position { get; }

    /// <summary>How many events the search from the end of the journal backwards still has to find; 0 when the beginning is known.</summary>
    int FromEnd { get; }

    /// <inheritdoc cref="IByIdRequest.Start"/>
    OrderedAsk Start();

    /// <inheritdoc cref="IByIdRequest.Read"/>
    void Read(OrderedRead read);

    /// <summary>Takes the result of a search for the beginning.</summary>
    void Read(FromEndRead read);
}
