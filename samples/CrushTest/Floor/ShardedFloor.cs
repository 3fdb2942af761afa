namespace CrushTest.Floor;

/// <summary>The floors of all databases at once, each with the ids that are there.</summary>
internal sealed class ShardedFloor(IReadOnlyList<IFloor> floors) : IFloor
{
    public async Task<long> ReadAllAsync(CancellationToken cancellation) =>
        (await Task.WhenAll(floors.Select(floor => floor.ReadAllAsync(cancellation)))).Sum();
}
