namespace Throttled.Projections.Lanes;

/// <summary>Events of a lane that are to be committed together where none fails.</summary>
internal sealed class LaneBatch
{
    private readonly List<LaneEvent> _events = [];

    internal IReadOnlyList<LaneEvent> Events => _events;

    /// <summary>All the lane's events up to here are in it, or were before it.</summary>
    internal ReadPlace Through { get; private set; }

    /// <summary>How much room its events take in the lane's queue.</summary>
    internal long Bytes { get; private set; }

    internal void Add(LaneEvent added, long bytes)
    {
        _events.Add(added);
        Pass(ReadPlace.Of(added.Stored), bytes);
    }

    /// <summary>There is nothing for the handler up to here.</summary>
    internal void Pass(ReadPlace place, long bytes = 0)
    {
        Bytes += bytes;
        if (place.Ordering > Through.Ordering)
            Through = place;
    }

    /// <summary>How far a part of it brings the lane.</summary>
    /// <param name="to">The index behind the part's last event.</param>
    internal ReadPlace ThroughOf(int to) => to == _events.Count ? Through : ReadPlace.Of(_events[to - 1].Stored);

    /// <summary>The index of an event; null where it is not in it.</summary>
    internal int? IndexOf(long? ordering)
    {
        var index = ordering is { } at ? _events.FindIndex(each => each.Stored.Ordering == at) : -1;
        return index < 0 ? null : index;
    }
}
