using System.Globalization;
using Throttled.Journal.Sharding;

namespace Throttled.Journal.Tests.Sharding;

/// <summary>Shards that run in parallel with each other and with their reader, as engines do.</summary>
public sealed class MergedFeedRaceTests
{
    private const int Shards = 4;
    private const int Each = 3_000;

    private readonly string[][] _items =
        [.. Enumerable.Range(0, Shards).Select(shard => Enumerable.Range(0, Each).Select(i => FormattableString.Invariant($"{shard}/{i}")).ToArray())];

    [Fact]
    public async Task Shards_that_deliver_at_once_are_read_each_in_order_and_to_the_end()
    {
        var found = await Merged().AllAsync();

        Assert.Equal(Shards * Each, found.Count);
        for (var shard = 0; shard < Shards; shard++)
            Assert.Equal(_items[shard], found.Where(item => item.StartsWith(shard.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)));
    }

    [Fact]
    public async Task A_reader_that_is_cancelled_while_shards_deliver_is_cancelled_once()
    {
        for (var round = 0; round < 200; round++)
        {
            using var cancellation = new CancellationTokenSource();
            var (count, stopAt) = (0, round % 50);
            var cancelling = Task.CompletedTask;
            var reading = Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
            {
                await foreach (var item in Merged().WithCancellation(cancellation.Token))
                {
                    if (count++ == stopAt)
                        cancelling = Task.Run(cancellation.Cancel);
                }
                await cancelling;
                cancellation.Token.ThrowIfCancellationRequested();
            });
            await reading.WithinAsync("the end of a query that was cancelled");
        }
    }

    private MergedQuery<string> Merged() => new([.. _items.Select((items, shard) => new PooledFeed(items, new(shard)))]);
}
