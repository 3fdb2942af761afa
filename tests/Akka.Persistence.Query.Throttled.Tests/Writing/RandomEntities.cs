using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>Entities with random commands, each with a model to compare.</summary>
internal static class RandomEntities
{
    internal static async Task RunAsync(ShardedFiles files, int entities, bool defersAlone, ITestOutputHelper output)
    {
        var seed = Environment.GetEnvironmentVariable("THROTTLED_SEED") is { } given ? int.Parse(given) : Random.Shared.Next();
        output.WriteLine($"Seed {seed} (replay: THROTTLED_SEED={seed})");
        var models = Enumerable.Range(0, entities).Select(i => new EntityModel($"entity-{i * 7919}", new Random(seed + i), defersAlone)).ToList();
        await using (var kit = ShardedKit.On(files))
        {
            foreach (var model in models)
                model.Entity = kit.Entity(model.Id);
            for (var round = 0; round < 3; round++)
            {
                foreach (var model in models)
                    model.Tell();
                await Task.WhenAll(models.Select(model => model.CheckAsync()));
                await Task.WhenAll(models.Select(model => model.RestartAsync(kit.Entity)));
                await Task.WhenAll(models.Select(model => model.CheckAsync()));
            }
        }
        for (var shard = 0; shard < files.Map.Count; shard++)
        {
            var here = models.Where(model => files.Map.ShardOf(model.Id) == shard && model.Events > 0).ToDictionary(model => model.Id, model => model.Events);
            Assert.NotEmpty(here);
            Assert.Equal(here.OrderBy(each => each.Key), files.EventsIn(shard).OrderBy(each => each.Key));
        }
        files.Delete();
    }
}
