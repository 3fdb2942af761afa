namespace CrushTest.Floor;

/// <summary>What the floor reads: all events of all ids.</summary>
/// <param name="Ids">The persistence ids.</param>
/// <param name="Page">Rows of one id at a time.</param>
/// <param name="Connections">Connections that may read at once.</param>
internal sealed record FloorPlan(string[] Ids, int Page, int Connections)
{
    /// <summary>Databases that are read at once, and so share the cores.</summary>
    internal int Databases { get; init; } = 1;

    /// <summary>Ids that share a statement; as many as in the engine.</summary>
    internal const int IdsPerStatement = 100;

    /// <summary>No more connections than are of use.</summary>
    /// <param name="most">As many as keep the machine busy, over all databases.</param>
    internal FloorPlan On(int most) => this with { Connections = Math.Clamp(most / Databases, 1, Connections) };
}

/// <summary>
/// The same rows by the bare driver: no permits, no feeds, no order, no followers, nothing but the statements. One hundred ids
/// share a statement, and each id is read page by page until a page is short. Every column that the engine reads is read, into
/// an object a row.
/// </summary>
internal interface IFloor
{
    /// <returns>The rows read.</returns>
    Task<long> ReadAllAsync(CancellationToken cancellation);
}

/// <summary>The floors of several databases at once, each with the ids that are there.</summary>
internal sealed class ShardedFloor(IReadOnlyList<IFloor> floors) : IFloor
{
    public async Task<long> ReadAllAsync(CancellationToken cancellation) =>
        (await Task.WhenAll(floors.Select(floor => floor.ReadAllAsync(cancellation)))).Sum();
}

/// <summary>One row.</summary>
internal sealed record FloorRow(
    long Ordering, bool IsDeleted, long SequenceNumber, long Timestamp, byte[] Payload, int? SerializerId, string Manifest);

/// <summary>Gives each connection the next hundred ids.</summary>
internal sealed class IdQueue(string[] ids)
{
    private int _taken;

    internal ArraySegment<string>? Next()
    {
        var first = Interlocked.Add(ref _taken, FloorPlan.IdsPerStatement) - FloorPlan.IdsPerStatement;
        return first < ids.Length ? new(ids, first, Math.Min(FloorPlan.IdsPerStatement, ids.Length - first)) : null;
    }
}
