namespace Tail.Show;

/// <summary>The times of events.</summary>
internal static class EventTime
{
    /// <summary>The time of stored ticks; null where they are none: 0 on old rows, or another writer's unit.</summary>
    internal static DateTime? Utc(long ticks) =>
        ticks > 0 && ticks <= DateTime.MaxValue.Ticks ? new DateTime(ticks, DateTimeKind.Utc) : null;
}
