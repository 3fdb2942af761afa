namespace Throttled.Projections;

/// <summary>
/// Decides which lanes a process claims and which it releases. This is about placement only: leases and epochs in the read model's database keep two
/// processes from writing the same lane, whatever an ownership decides. The methods are called about once a second for each read model that is
/// written, one call at a time. They must be quick and must not throw.
/// </summary>
public abstract class LaneOwnership
{
    /// <summary>The lanes are divided evenly among the processes that are alive. This is the default.</summary>
    public static LaneOwnership Even { get; } = new EvenLanes();

    /// <summary>
    /// The lanes that this process wants and does not own, in the order of preference. Lanes that another process owns are left out: this process
    /// asks again, and claims them when they are released or their leases expire.
    /// </summary>
    /// <param name="lanes">The lanes of one read model.</param>
    public abstract IReadOnlyList<int> Claim(LaneOwners lanes);

    /// <summary>The lanes that this process owns and must release. Their current batches are finished first.</summary>
    /// <param name="lanes">The lanes of one read model.</param>
    public abstract IReadOnlyList<int> Release(LaneOwners lanes);

    /// <summary>Called when a projection starts.</summary>
    /// <param name="wake">Lets the projection ask again at once.</param>
    internal virtual void Attach(Action wake)
    {
    }

    /// <summary>Called when a projection has stopped and owns no lanes.</summary>
    internal virtual void Detach()
    {
    }

    /// <summary>Called before the lanes are read.</summary>
    /// <returns>Passed to <see cref="EndRound"/>.</returns>
    internal virtual long BeginRound() => 0;

    /// <summary>Called after lanes were claimed and released, if nothing of it still runs.</summary>
    /// <param name="round">What <see cref="BeginRound"/> returned.</param>
    /// <param name="owned">The lanes that this process owns, of all read models.</param>
    internal virtual void EndRound(long round, IReadOnlyCollection<int> owned)
    {
    }
}

/// <summary>Who owns the lanes of a read model, as the tables say.</summary>
/// <param name="Version">The name of the read model.</param>
/// <param name="Process">The name of this process.</param>
/// <param name="Owners">The owner of each lane; null if it has none or its lease has expired.</param>
/// <param name="Processes">The names of the processes that are alive, in ordinal order.</param>
public sealed record LaneOwners(string Version, string Process, IReadOnlyList<string?> Owners, IReadOnlyList<string> Processes)
{
    /// <summary>The lanes that this process owns.</summary>
    public IReadOnlyList<int> Mine => Of(Process);

    /// <summary>The lanes that no process owns.</summary>
    public IReadOnlyList<int> Free => Of(null);

    private List<int> Of(string? owner) => [.. Owners.Index().Where(lane => lane.Item == owner).Select(lane => lane.Index)];
}
