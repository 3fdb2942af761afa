using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests;

/// <summary>Runs alone, because it measures the memory of the whole process.</summary>
[CollectionDefinition(nameof(MemoryTests), DisableParallelization = true)]
[Collection(nameof(MemoryTests))]
public sealed class MemoryTests
{
    private const int Queries = 50_000;

    // The first thousand queries include the one-time costs.
    private static readonly string[] Ids = [.. Enumerable.Range(0, Queries + 1000).Select(i => $"p{i}")];

    [Fact]
    public void An_idle_live_query_by_persistence_id_costs_no_more_than_400_bytes() =>
        Assert.InRange(BytesEach((world, id) => world.Engine.Open(new ByIdQuery(id, new(0, long.MaxValue), IsLive: true), Nobody.Instance)), 1, 400);

    [Fact]
    public void An_idle_live_query_for_all_events_costs_less_than_500_bytes() =>
        Assert.InRange(BytesEach((world, _) => world.Engine.Open(new OrderedQuery(EventFilter.All, 10, IsLive: true), Nobody.Instance)), 1, 500);

    [Fact]
    public void An_idle_live_query_by_tag_costs_less_than_500_bytes()
    {
        // The tags and filters are created before, so that they are not counted.
        var filters = Ids.ToDictionary(id => id, id => new EventFilter { Tag = id });
        Assert.InRange(BytesEach((world, id) => world.Engine.Open(new OrderedQuery(filters[id], 10, IsLive: true), Nobody.Instance)), 1, 500);
    }

    private static double BytesEach(Func<World, string, IFeed<JournalEvent>> open)
    {
        using var world = new World();
        world.Journal.Append("x", 1, 10);
        Follow(world, Ids.AsSpan(Queries), open);
        var before = GC.GetTotalMemory(forceFullCollection: true);
        Follow(world, Ids.AsSpan(0, Queries), open);
        var each = (GC.GetTotalMemory(forceFullCollection: true) - before) / (double)Queries;
        Assert.Equal(Ids.Length, world.Engine.Parts().Gauges.Following);
        return each;
    }

    private static void Follow(World world, ReadOnlySpan<string> ids, Func<World, string, IFeed<JournalEvent>> open)
    {
        foreach (var id in ids)
            open(world, id).Demand();
        world.Advance(TimeSpan.FromSeconds(5));
        world.Database.ForgetCalls();
    }

    // A bare reader, so that a consumer's own objects do not count.
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
