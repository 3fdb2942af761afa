using Throttled.Journal;
using Throttled.Projections.Lanes;

namespace Throttled.Projections.Tests.Lanes;

internal static class Make
{
    internal static Task Never { get; } = new TaskCompletionSource().Task;

    internal static JournalEvent Event(long ordering, string id = "a", long sequenceNumber = 0, int bytes = 0, long timestamp = 0, int omitted = 0) => new()
    {
        Ordering = ordering,
        PersistenceId = id,
        SequenceNumber = sequenceNumber == 0 ? ordering : sequenceNumber,
        Timestamp = timestamp,
        Payload = new byte[bytes],
        OmittedPayloadBytes = omitted,
    };

    internal static LaneChunk Chunk(params JournalEvent[] events) => new(events, JournalPosition.Of(events[^1]), events.Sum(each => each.Bytes));

    internal static LaneChunk Chunk(int bytes, long readUpTo) => new([Event(readUpTo)], new(readUpTo, 0), bytes);
}
