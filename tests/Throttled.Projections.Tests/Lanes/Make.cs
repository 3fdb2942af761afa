using Microsoft.Extensions.Logging.Abstractions;
using Throttled.Projections.Databases;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Reads;
using Throttled.Projections.Store;

namespace Throttled.Projections.Tests.Lanes;

internal static class Make
{
    private static readonly ProjectionMetrics Metrics = new("none");

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

    /// <summary>A shard of which only events show that it can be read.</summary>
    internal static SourceShard Shard(Func<long, IAsyncEnumerable<JournalEvent>> open) => new()
    {
        Open = open,
        FirstAfter = (_, _) => throw new NotSupportedException(),
        End = _ => new TaskCompletionSource<long>().Task,
        Now = _ => new TaskCompletionSource<long>().Task,
        LastIssued = _ => Task.FromResult<long?>(null),
    };

    /// <summary>The context of lanes that report nothing.</summary>
    internal static LaneContext Context(ProjectionHandler handler, ProjectionOptions options, ILaneStore store) => new("balances", handler, options, store, new SqliteReadModelDialect())
    {
        Telemetry = new("balances", NullLogger.Instance, Metrics.Of("balances"), ProjectionAvailability.Of(options, "'app'", NullLogger.Instance, "", "", ""), options.TimeProvider),
    };
}
