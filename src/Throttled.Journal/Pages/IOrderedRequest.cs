using Throttled.Journal.Sql;

namespace Throttled.Journal.Pages;

/// <summary>Asks for a page in the order of the journal; those that want the same, or nearly, share a statement.</summary>
internal interface IOrderedRequest
{
    /// <summary>Which events it wants.</summary>
    EventFilter Filter { get; }

    /// <summary>The ordering behind which it reads on; while <see cref="FromEnd"/> is not 0, that below which it looks for its beginning.</summary>
    long Position { get; }

    /// <summary>How many events it has yet to find from the end of the journal backwards before it knows where to begin; 0 once it knows.</summary>
    int FromEnd { get; }

    /// <inheritdoc cref="IByIdRequest.Start"/>
    OrderedAsk Start();

    /// <inheritdoc cref="IByIdRequest.Read"/>
    void Read(OrderedRead read);

    /// <summary>A statement that looked for its beginning has ended.</summary>
    void Read(FromEndRead read);
}
