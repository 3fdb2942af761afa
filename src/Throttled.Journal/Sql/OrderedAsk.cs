namespace Throttled.Journal.Sql;

/// <summary>The request of one member of an ordered batch: the first events behind a position that it wants.</summary>
/// <param name="Filter">Which.</param>
/// <param name="After">The position: the ordering behind which it reads on.</param>
/// <param name="Through">The last ordering that it may pass; what is above may still be out of order.</param>
/// <param name="Limit">How many events at most.</param>
internal readonly record struct OrderedAsk(EventFilter Filter, long After, long Through, int Limit)
{
    /// <summary>Whether it may pass an ordering only where the one before it is there too.</summary>
    internal bool StopsAtGap { get; init; }
}
