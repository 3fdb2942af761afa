using Akka.Configuration;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster;

/// <summary>The settings of a feed. All nodes must set the same ones.</summary>
public sealed class ThrottledFeedOptions
{
    /// <summary>The events that the feed reads: all, the default, those with a tag, or those of some slices, without filters. It serves live queries of these events, and of some of their slices.</summary>
    public ProjectionSource Source { get; set; } = ProjectionSource.All;

    /// <summary>The role of the nodes on which the feed may run; empty, the default, for all nodes. Any node can read from it.</summary>
    public string Role { get; set; } = "";

    /// <summary>The id of the read journal; <see cref="ThrottledReadJournal.Identifier"/> by default. All nodes need it.</summary>
    public string JournalId { get; set; } = ThrottledReadJournal.Identifier;

    /// <summary>
    /// Recent events that the feed keeps for lanes that are a little behind the fastest: 100 to 1,000,000; 10,000 by default. A lane that is further
    /// behind reads for itself until it has caught up with the feed.
    /// </summary>
    public int WindowEvents { get; set; } = 10_000;

    /// <summary>Bytes of these events: 64 KiB to 1 GiB; 16 MiB by default.</summary>
    public long WindowBytes { get; set; } = 16 * 1024 * 1024;

    /// <summary>Events that a lane keeps for its reader, and so asks the feed for: 10 to 100,000; 2,000 by default.</summary>
    public int MaxBufferedEvents { get; set; } = 2000;

    /// <summary>If the feed does not answer for this long, a lane reads for itself: 2 s to 1 h; 5 s by default.</summary>
    public TimeSpan FeedTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <exception cref="ConfigurationException">A value is out of its range.</exception>
    internal void Validate(string feed)
    {
        if (Source is null || Role is null || string.IsNullOrEmpty(JournalId))
            throw new ConfigurationException($"Feed '{feed}': 'Source', 'Role' or 'JournalId' is null or empty. Leave it out for the default.");
        if (Source.HasFilters)
            throw new ConfigurationException($"Feed '{feed}': 'Source' is '{Source}'; it must be all events, a tag or slices. Set the filters in the projections that read the feed.");
        Check(feed, nameof(WindowEvents), WindowEvents, 100, 1_000_000);
        Check(feed, nameof(WindowBytes), WindowBytes, 64 * 1024, 1024 * 1024 * 1024);
        Check(feed, nameof(MaxBufferedEvents), MaxBufferedEvents, 10, 100_000);
        if (FeedTimeout < TimeSpan.FromSeconds(2) || FeedTimeout > TimeSpan.FromHours(1))
            throw new ConfigurationException($"Feed '{feed}': 'FeedTimeout' is {FeedTimeout}; it must be from 2 s to 1 h. Leave it out for 5 s.");
    }

    private static void Check(string feed, string name, long value, long least, long most)
    {
        if (value < least || value > most)
            throw new ConfigurationException(FormattableString.Invariant($"Feed '{feed}': '{name}' is {value}; it must be from {least} to {most}. Leave it out for the default."));
    }
}
