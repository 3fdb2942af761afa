using Akka.Persistence.Sharded;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>The combined health of all shards, and its time limit.</summary>
public sealed class ShardsHealthTests
{
    private readonly FakeClock _time = new();

    [Theory]
    [InlineData("Healthy Healthy", "Healthy")]
    [InlineData("Healthy Degraded", "Degraded")]
    [InlineData("Degraded Degraded", "Degraded")]
    [InlineData("Healthy Unhealthy", "Degraded")]
    [InlineData("Unhealthy Degraded", "Degraded")]
    [InlineData("Unhealthy Unhealthy", "Unhealthy")]
    [InlineData("Unhealthy", "Unhealthy")]
    public async Task The_combined_status_follows_from_those_of_the_shards(string shards, string expected)
    {
        var each = shards.Split(' ').Select(Enum.Parse<PersistenceHealthStatus>).ToList();
        var health = await Of(each.Count).AskAsync((shard, _) => Task.FromResult(new PersistenceHealthCheckResult(each[shard], "So it is.")), default);
        Assert.Equal(expected, health.Status.ToString());
    }

    [Fact]
    public async Task A_shard_that_does_not_answer_in_time_is_unhealthy_and_its_check_is_cancelled()
    {
        var given = CancellationToken.None;
        var asking = Of(2).AskAsync(
            (shard, cancellation) =>
            {
                given = cancellation;
                return shard == 0
                    ? Task.FromResult(new PersistenceHealthCheckResult(PersistenceHealthStatus.Healthy))
                    : new TaskCompletionSource<PersistenceHealthCheckResult>().Task;
            },
            default);
        Assert.False(asking.IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(5));
        var health = await asking.WithinAsync("the answer");
        Assert.Equal((PersistenceHealthStatus.Degraded, "Shard 1 (slices 512-1023): It did not answer within 5 s."), (health.Status, health.Description));
        Assert.True(given.IsCancellationRequested);
    }

    [Fact]
    public async Task A_shard_that_fails_is_unhealthy()
    {
        var health = await Of(2).AskAsync((_, _) => Task.FromException<PersistenceHealthCheckResult>(new InvalidOperationException("It fails.")), default);
        Assert.Equal(
            (PersistenceHealthStatus.Unhealthy, "Shard 0 (slices 0-511): It fails. Shard 1 (slices 512-1023): It fails."), (health.Status, health.Description));
    }

    private ShardsHealth Of(int shards) => new("journal", ShardMap.Even(shards), _time);
}
