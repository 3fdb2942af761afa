using System.Text;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>Divides events among messages that stay below the frame size.</summary>
internal static class FeedFrames
{
    // Numbers, lengths and flags of one event.
    private const int Fixed = 64;

    /// <summary>Returns the batches that answer a demand; none if there are no events.</summary>
    /// <param name="limits">The size and number of the batches.</param>
    /// <param name="first">The first batch; it names the lane and where it is.</param>
    /// <param name="events">The events that follow.</param>
    /// <param name="credit">How many events the lane takes.</param>
    /// <param name="through">Where the last batch ends if it has all events.</param>
    internal static IReadOnlyList<FeedBatch> Cut(FeedLimits limits, FeedBatch first, IEnumerable<JournalEvent> events, int credit, long through)
    {
        var frames = new List<FeedBatch>();
        var frame = new List<FeedEvent>();
        var (bytes, taken, isWhole) = (0, 0, true);
        foreach (var stored in events)
        {
            var next = Fit(stored, limits.FrameBytes, out var size);
            if (frame.Count > 0 && bytes + size > limits.FrameBytes)
            {
                frames.Add(Frame(first, frames, frame, frame[^1].Stored.Ordering));
                (frame, bytes) = ([], 0);
            }
            isWhole = taken < credit && frames.Count < limits.FramesPerDemand;
            if (!isWhole)
                break;
            frame.Add(next);
            bytes += size;
            taken++;
        }
        if (frame.Count > 0)
            frames.Add(Frame(first, frames, frame, isWhole ? through : frame[^1].Stored.Ordering));
        if (frames.Count > 0)
            frames[^1] = frames[^1] with { IsLast = true, IsFollowing = isWhole && first.IsFollowing };
        return frames;
    }

    /// <summary>An upper bound of the bytes of an event in a message.</summary>
    internal static int BytesOf(JournalEvent stored) =>
        Fixed + stored.Payload.Length + Text(stored.PersistenceId) + Text(stored.Manifest) + stored.Tags.Sum(tag => Text(tag) + 5);

    private static FeedBatch Frame(FeedBatch first, List<FeedBatch> before, List<FeedEvent> events, long through) =>
        first with { After = before.Count == 0 ? first.After : before[^1].Through, Through = through, Events = events, IsLast = false, IsFollowing = false };

    private static FeedEvent Fit(JournalEvent stored, int limit, out int size)
    {
        size = BytesOf(stored);
        if (size <= limit)
            return new(stored, IsReference: false);
        size = Fixed + Text(stored.PersistenceId);
        return new(
            new() { Ordering = stored.Ordering, PersistenceId = stored.PersistenceId, SequenceNumber = stored.SequenceNumber, Payload = default },
            IsReference: true);
    }

    private static int Text(string text) => Encoding.UTF8.GetMaxByteCount(text.Length);
}
