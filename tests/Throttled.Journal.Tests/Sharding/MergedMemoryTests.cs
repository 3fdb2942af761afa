using Throttled.Journal.Queries;
using Throttled.Journal.Rows;
using Throttled.Journal.Sharding;
using Xunit.Abstractions;

namespace Throttled.Journal.Tests.Sharding;

/// <summary>Runs alone, because it measures the memory of the whole process.</summary>
[Collection(nameof(MemoryTests))]
public sealed class MergedMemoryTests(ITestOutputHelper output)
{
    private const int Shards = 4;
    private const int Queries = 10_000;

    [Fact]
    public async Task An_idle_live_query_over_four_shards_costs_less_than_five_hundred_bytes_a_shard()
    {
        World[] worlds = [.. Enumerable.Range(0, Shards).Select(_ => new World())];
        foreach (var world in worlds)
            world.Journal.Append("x", 1, 10);
        await using (var journal = new MergedJournal(ShardMap.Even(Shards), [.. worlds.Select(world => world.Engine)]))
        {
            var after = ShardedPosition.At(journal.Map, 10);
            Follow(worlds, journal, after, 1_000);
            var before = GC.GetTotalMemory(forceFullCollection: true);
            Follow(worlds, journal, after, Queries);
            var each = (GC.GetTotalMemory(forceFullCollection: true) - before) / (double)Queries;
            output.WriteLine($"{each:0} bytes each");
            Assert.All(worlds, world => Assert.Equal(Queries + 1_000, world.Engine.Parts().Gauges.Following));
            Assert.InRange(each, 1, Shards * 500);
            Array.ForEach(worlds, world => world.Close());
        }
    }

    private static void Follow(World[] worlds, MergedJournal journal, ShardedPosition after, int queries)
    {
        for (var i = 0; i < queries; i++)
            journal.Events(EventFilter.All, after, isLive: true).Open(Nobody.Instance).Demand();
        foreach (var world in worlds)
        {
            world.Advance(TimeSpan.FromSeconds(5));
            world.Database.ForgetCalls();
        }
    }

    private sealed class Nobody : IPageReader<JournalEvent>
    {
        internal static readonly Nobody Instance = new();

        public void Receive(Page<JournalEvent> page)
        {
        }

        public void Complete()
        {
        }

        public void Fail(Exception error)
        {
        }
    }
}
