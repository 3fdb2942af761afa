using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>Rows that are decoded to no item, or to several.</summary>
public class AdaptedTests : StreamKit
{
    [Fact]
    public async Task Each_item_of_a_split_row_waits_for_demand()
    {
        await AppendAsync("a", 2);
        Open();
        var probe = Way.Run(Stream(Reader.CurrentAllEvents(), new Times(_ => 3)));
        foreach (var expected in new[] { "1.1", "1.2", "1.3", "2.1", "2.2" })
        {
            await probe.RequestAsync(1);
            Assert.Equal(expected, await probe.ExpectNextAsync());
            await FenceAsync();
            probe.ExpectNoMsg();
        }
        await probe.RequestAsync(1);
        Assert.Equal("2.3", await probe.ExpectNextAsync());
        await probe.ExpectCompleteAsync();
        await AtRestAsync();
    }

    [Fact]
    public async Task Pages_without_items_need_no_further_demand()
    {
        await AppendAsync("a", 20);
        Open(new() { MaxBufferSize = 2 });
        var probe = Way.Run(Stream(Reader.CurrentEventsByPersistenceId("a"), new Times(number => number == 17 ? 1 : 0)));
        await probe.RequestAsync(1);
        Assert.Equal("17.1", await probe.ExpectNextAsync());
        await probe.RequestAsync(1);
        await probe.ExpectCompleteAsync();
        await AtRestAsync();
    }

    [Fact]
    public async Task A_query_without_items_ends()
    {
        await AppendAsync("a", 20);
        Open(new() { MaxBufferSize = 3 });
        Assert.Empty(await Way.ReadAsync(Stream(Reader.CurrentAllEvents(), new Times(_ => 0))));
        Assert.Empty(await Way.ReadAsync(Stream(Reader.EventsByPersistenceId("a", 0, 20), new Times(_ => 0))));
        await AtRestAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_live_query_continues_after_rows_without_items(bool isById)
    {
        await AppendAsync("a", 5);
        Open(new() { MaxBufferSize = 2 });
        var query = isById ? Reader.EventsByPersistenceId("a") : Reader.EventsByTag("tag");
        var probe = Way.Run(Stream(query, new Times(number => number == 8 ? 2 : 0)));
        await probe.RequestAsync(2);
        await Meter.UntilFollowingAsync(1);
        await AppendAsync("a", 2, from: 6);
        await AppendAsync("a", 1, from: 8);
        Assert.Equal("8.1", await probe.ExpectNextAsync());
        Assert.Equal("8.2", await probe.ExpectNextAsync());
        await probe.CancelAsync();
        await AtRestAsync();
    }

    [Fact]
    public async Task Pages_that_were_reclaimed_from_an_idle_stream_are_read_again_without_loss_or_doubling()
    {
        // One page uses up the budget, so each stream makes the others lose their pages.
        await AppendAsync("a", 30);
        Open(new() { MaxBufferSize = 10, MaxBufferedBytes = 1 });
        var probes = Enumerable.Range(0, 3)
            .Select(_ => Way.Run(Stream(Reader.CurrentEventsByPersistenceId("a"), new Times(_ => 2))))
            .ToList();
        foreach (var probe in probes)
            await probe.EnsureSubscriptionAsync();
        // Stops in the middle of a page, and between the items of a row.
        foreach (var probe in probes)
        {
            await probe.RequestAsync(3);
            foreach (var expected in new[] { "1.1", "1.2", "2.1" })
                Assert.Equal(expected, await probe.ExpectNextAsync());
        }
        var before = Database.Begun;
        foreach (var probe in probes)
        {
            await probe.RequestAsync(100);
            foreach (var expected in Enumerable.Range(1, 30).SelectMany(number => new[] { $"{number}.1", $"{number}.2" }).Skip(3))
                Assert.Equal(expected, await probe.ExpectNextAsync());
            await probe.ExpectCompleteAsync();
        }
        Assert.True(Database.Begun - before > 2 * probes.Count, "No page was reclaimed.");
        await AtRestAsync();
    }

    /// <summary>Decodes each row to the given number of items.</summary>
    private sealed class Times(Func<long, int> times) : IItemDecoder<JournalEvent, string>
    {
        public string? Decode(JournalEvent item, out Queue<string>? rest)
        {
            var items = new Queue<string>(Enumerable.Range(1, times(item.SequenceNumber)).Select(time => $"{item.SequenceNumber}.{time}"));
            rest = items;
            return items.TryDequeue(out var first) ? first : null;
        }
    }
}
