namespace Throttled.Projections.Store;

/// <summary>How many events a row of offsets tells of.</summary>
/// <param name="Events">Handled or stored as dead letters.</param>
/// <param name="Unhandled">Those of them that the handler had nothing to do with.</param>
internal readonly record struct HandledEvents(long Events, long Unhandled)
{
    internal static HandledEvents Sum(IEnumerable<HandledEvents> rows) => rows.Aggregate(default(HandledEvents), (sum, row) => sum + row);

    public static HandledEvents operator +(HandledEvents one, HandledEvents other) => new(one.Events + other.Events, one.Unhandled + other.Unhandled);
}
