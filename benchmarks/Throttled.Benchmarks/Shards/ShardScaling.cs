namespace Throttled.Benchmarks.Shards;

/// <summary>The figures of a journal with a number of shards.</summary>
internal sealed record ShardFigures(int Shards, ShardRate Writes, ShardRate Current, ShardRate Live, int[] Permits)
{
    /// <summary>The rates of the slowest and the fastest round of writes.</summary>
    internal (double Least, double Most) Spread { get; init; }
}

/// <summary>The same work on 1, 2, 4 and 8 servers in turn.</summary>
internal sealed class ShardScaling(int seconds, int streams, int rounds)
{
    private static readonly int[] Counts = [1, 2, 4, 8];

    internal async Task<List<ShardFigures>> RunAsync()
    {
        using var servers = new ShardServers(Counts[^1]);
        List<ShardFigures> figures = [];
        // A warm-up, which compiles code and opens connections.
        await MeasureAsync(servers, Counts[^1]);
        for (var round = 1; round <= rounds; round++)
        {
            foreach (var shards in Counts)
            {
                figures.Add(await MeasureAsync(servers, shards));
                Console.WriteLine($"round {round} of {rounds}, {shards} shards: {figures[^1].Writes}, reads {figures[^1].Current}, live {figures[^1].Live}");
            }
        }
        return [.. Counts.Select(shards => Median([.. figures.Where(each => each.Shards == shards)]))];
    }

    private async Task<ShardFigures> MeasureAsync(ShardServers servers, int shards)
    {
        var written = await servers.CreateAsync(shards);
        await written.SlowDownAsync();
        var writes = await new ShardWrites(written, TimeSpan.FromSeconds(seconds)).RunAsync();
        var reads = new ShardReads(await servers.CreateAsync(shards), [.. Enumerable.Range(0, streams).Select(i => $"device-{i % 64}-{i / 64}")]);
        await reads.SeedAsync();
        var (current, live, permits) = await reads.RunAsync();
        return new(shards, writes, current, live, permits);
    }

    private static ShardFigures Median(List<ShardFigures> of) => new(
        of[0].Shards,
        ShardRate.Median(of.ConvertAll(each => each.Writes)),
        ShardRate.Median(of.ConvertAll(each => each.Current)),
        ShardRate.Median(of.ConvertAll(each => each.Live)),
        of[^1].Permits)
    {
        Spread = (of.Min(each => each.Writes.PerSecond), of.Max(each => each.Writes.PerSecond)),
    };
}
