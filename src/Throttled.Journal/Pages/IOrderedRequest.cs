using Throttled.Journal.Sql;

namespace Throttled.Journal.Pages;

/// <summary>Asks for a page in the order of the journal; those that want the same, or nearly, share a statement.</summary>
internal interface IOrderedRequest
{
    /// <summary>Which events it wants.</summary>
    EventFilter Filter { get; }

    /// <summary>The ordering behind which it reads on.</summary>
    long Position { get; }

    /// <inheritdoc cref="IByIdRequest.Start"/>
    OrderedAsk Start();

    /// <inheritdoc cref="IByIdRequest.Read"/>
    void Read(OrderedRead read);
}
