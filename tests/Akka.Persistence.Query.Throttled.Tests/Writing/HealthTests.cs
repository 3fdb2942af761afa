using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Journal;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Journals;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>Akka.NET's health check of the sharded journal combines its shards' health, and always answers.</summary>
public sealed class HealthTests : IDisposable
{
    private const string Memory = "class = \"Akka.Persistence.Journal.MemoryJournal, Akka.Persistence\"";

    private readonly ShardedFiles _files = ShardedFiles.OfSql(2);
    private readonly string _directory = Path.Combine(Path.GetTempPath(), $"throttled-health-{Guid.NewGuid():N}");

    [Fact]
    public async Task A_sharded_journal_is_healthy_if_all_shards_are()
    {
        await using var kit = ShardedKit.On(_files);
        var health = await HealthAsync(kit);
        Assert.Equal((PersistenceHealthStatus.Healthy, "Ok"), (health.Status, health.Description));
        Assert.Equal(
            [("journal", WriteShards.Identifier), ("shard-0.status", "Healthy"), ("shard-1.status", "Healthy"), ("shards", 2)],
            health.Data!.Select(each => (each.Key, each.Value)).OrderBy(each => each.Key, StringComparer.Ordinal));
    }

    [Fact]
    public async Task An_unavailable_shard_degrades_the_health_and_is_named()
    {
        await using var kit = ShardedKit.On(_files, $"shards.s1.connection-string = \"Data Source={_directory}/journal.db;Pooling=false\"");
        for (var i = 0; i < 2; i++)
        {
            var health = await HealthAsync(kit);
            Assert.Equal(PersistenceHealthStatus.Degraded, health.Status);
            Assert.StartsWith("Shard 1 (slices 512-1023): The database of 'shards.s1' cannot be probed: ", health.Description, StringComparison.Ordinal);
            Assert.Equal(("Healthy", "Unhealthy"), (health.Data!["shard-0.status"], health.Data["shard-1.status"]));
            Assert.NotNull(health.Exception);
        }
        // SQLite does not create directories, so opening fails.
        Directory.CreateDirectory(_directory);
        Assert.Equal(PersistenceHealthStatus.Healthy, (await HealthAsync(kit)).Status);
    }

    [Fact]
    public async Task Shards_with_other_marks_are_unhealthy_with_the_reason()
    {
        await using (var kit = ShardedKit.On(_files))
            Assert.Equal(PersistenceHealthStatus.Healthy, (await HealthAsync(kit)).Status);
        await using var other = ShardedKit.On(_files, $"{WriteShards.Identifier}.shards = [shards.s1, shards.s0]");
        var health = await HealthAsync(other);
        Assert.Equal(PersistenceHealthStatus.Unhealthy, health.Status);
        Assert.Contains("is configured as shard ", health.Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_wrong_setting_is_unhealthy()
    {
        await using var kit = ShardedKit.On(_files, $"{WriteShards.Identifier}.slices = [\"0-99\"]");
        var health = await HealthAsync(kit);
        Assert.Equal(PersistenceHealthStatus.Unhealthy, health.Status);
        Assert.Contains("sharded-databases", health.Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_health_of_a_shard_is_that_of_its_write_plugin()
    {
        await using var kit = new ShardedKit(Configured(Memory, $"class = \"{typeof(SlowJournal).FullName}, {typeof(SlowJournal).Assembly.GetName().Name}\""));
        var health = await HealthAsync(kit);
        Assert.Equal((PersistenceHealthStatus.Degraded, "Shard 1 (slices 512-1023): It is slow."), (health.Status, health.Description));
    }

    public void Dispose()
    {
        _files.Delete();
        if (Directory.Exists(_directory))
            Directory.Delete(_directory, recursive: true);
    }

    private static Task<PersistenceHealthCheckResult> HealthAsync(ShardedKit kit) =>
        Persistence.Instance.Apply(kit.System).CheckJournalHealthAsync(null!).WithinAsync("the health of the journal");

    private static Config Configured(string first, string second) => ConfigurationFactory.ParseString($$"""
        {{AkkaTimeouts.Hocon}}
        akka.persistence.journal {
          plugin = "{{WriteShards.Identifier}}"
          sharded-databases {
            class = "Akka.Persistence.Sharded.ShardedWriteJournal, Akka.Persistence.Sharded"
            shards = [journals.a, journals.b]
          }
        }
        journals.a { {{first}} }
        journals.b { {{second}} }
        """);

    /// <summary>A journal whose health is Degraded.</summary>
    public sealed class SlowJournal : MemoryJournal
    {
        public override Task<PersistenceHealthCheckResult> CheckHealthAsync(CancellationToken cancellationToken = default) =>
            Task.FromResult(new PersistenceHealthCheckResult(PersistenceHealthStatus.Degraded, "It is slow."));
    }
}
