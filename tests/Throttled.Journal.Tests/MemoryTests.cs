using Throttled.Journal.Pages;
using Throttled.Journal.Queries;
using Throttled.Journal.Tests.Support;

namespace Throttled.Journal.Tests;

/// <summary>Alone: the memory that it measures is the whole process's.</summary>
[CollectionDefinition(nameof(MemoryTests), DisableParallelization = true)]
[Collection(nameof(MemoryTests))]
public sealed class MemoryTests
{
    [Fact]
    public void An_idle_live_query_costs_less_than_500_bytes()
    {
        const int Queries = 50_000;
        using var world = new World();
        string[] ids = [.. Enumerable.Range(0, Queries + 1000).Select(i => $"p{i}")];
        Follow(world, ids.AsSpan(Queries));
        var before = GC.GetTotalMemory(forceFullCollection: true);
        Follow(world, ids.AsSpan(0, Queries));
        var each = (GC.GetTotalMemory(forceFullCollection: true) - before) / (double)Queries;
        Assert.Equal(ids.Length, world.Engine.Followers());
        Assert.InRange(each, 1, 500);
    }

    // A bare reader; the parts of a consumer are its own.
    private static void Follow(World world, ReadOnlySpan<string> ids)
    {
        foreach (var id in ids)
            world.Engine.Open(new ByIdQuery(id, new(0, long.MaxValue), IsLive: true), Nobody.Instance).Demand();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.ForgetCalls();
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
