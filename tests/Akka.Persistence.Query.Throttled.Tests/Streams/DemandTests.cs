using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Persistence.Query.Throttled.Streams;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

public class DemandTests : StreamKit
{
    /// <summary>Queries that end.</summary>
    public static TheoryData<string> Bounded => ["current by id", "by id to 4", "current by tag", "current all", "current slices"];

    /// <summary>All queries of events.</summary>
    public static TheoryData<string> All => [.. Bounded, "by id", "by tag", "all", "slices"];

    [Theory]
    [MemberData(nameof(All))]
    public async Task No_page_is_read_without_demand(string query)
    {
        await AppendAsync("a", 4);
        Open(new() { MaxBufferSize = 2 });
        var probe = Way.Run(Stream(Of(query)));
        await probe.EnsureSubscriptionAsync();
        await FenceAsync();
        Assert.Equal((0, 0), (Database.Begun, (int)Meter.Waiting));

        await probe.RequestAsync(1);
        Assert.Equal(1, (await probe.ExpectNextAsync()).SequenceNumber);
        await probe.RequestAsync(1);
        Assert.Equal(2, (await probe.ExpectNextAsync()).SequenceNumber);
        await FenceAsync();
        Assert.Equal((1, 0), (Database.Begun, (int)Meter.Waiting));

        await probe.RequestAsync(1);
        Assert.Equal(3, (await probe.ExpectNextAsync()).SequenceNumber);
        Assert.Equal(2, Database.Begun);
        await probe.CancelAsync();
        await AtRestAsync();
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task As_many_events_are_delivered_as_were_requested(string query)
    {
        await AppendAsync("a", 4);
        Open();
        var probe = Way.Run(Stream(Of(query)));
        await probe.RequestAsync(3);
        Assert.Equal([1L, 2, 3], await NumbersAsync(probe, 3));
        await FenceAsync();
        probe.ExpectNoMsg();
        await probe.CancelAsync();
        await AtRestAsync();
    }

    [Theory]
    [MemberData(nameof(Bounded))]
    public async Task The_stream_completes_with_the_last_event(string query)
    {
        await AppendAsync("a", 4);
        Open(new() { MaxBufferSize = 3 });
        var probe = Way.Run(Stream(Of(query)));
        await probe.RequestAsync(4);
        Assert.Equal([1L, 2, 3, 4], await NumbersAsync(probe, 4));
        await probe.ExpectCompleteAsync();
        await AtRestAsync();
        await AppendAsync("a", 1, from: 5);
        await probe.RequestAsync(10);
        await FenceAsync();
        probe.ExpectNoMsg();
        await AtRestAsync();
    }

    [Fact]
    public async Task A_query_without_events_completes_at_the_first_demand()
    {
        Open();
        var probe = Way.Run(Stream(Reader.CurrentEventsByPersistenceId("unknown")));
        await probe.RequestAsync(1);
        await probe.ExpectCompleteAsync();
        await AtRestAsync();
    }

    [Fact]
    public async Task A_live_query_delivers_new_events()
    {
        await AppendAsync("a", 2);
        Open();
        var probe = Way.Run(Stream(Reader.EventsByPersistenceId("a", 0, 5)));
        await probe.RequestAsync(100);
        Assert.Equal([1L, 2], await NumbersAsync(probe, 2));
        await Meter.UntilFollowingAsync(1);
        await AppendAsync("a", 3, from: 3);
        Assert.Equal([3L, 4, 5], await NumbersAsync(probe, 3));
        await probe.ExpectCompleteAsync();
        await AtRestAsync();
    }

    [Fact]
    public async Task Persistence_ids_are_delivered_on_demand_and_when_they_are_new()
    {
        await AppendAsync("a", 2);
        await AppendAsync("b", 2);
        Open();
        var probe = Way.Run(Stream(Reader.PersistenceIds()));
        await probe.EnsureSubscriptionAsync();
        await FenceAsync();
        Assert.Equal(0, Database.Begun);
        await probe.RequestAsync(1);
        var first = await probe.ExpectNextAsync();
        await FenceAsync();
        probe.ExpectNoMsg();
        await probe.RequestAsync(10);
        Assert.Equal(["a", "b"], new[] { first, await probe.ExpectNextAsync() }.Order());
        await AppendAsync("a", 1, from: 3);
        await AppendAsync("c", 1);
        Assert.Equal("c", await probe.ExpectNextAsync());
        await probe.CancelAsync();
        await AtRestAsync();
    }

    [Fact]
    public async Task Current_persistence_ids_are_delivered_once_each_and_complete()
    {
        await AppendAsync("a", 2);
        await AppendAsync("b", 2);
        Open();
        var probe = Way.Run(Stream(Reader.CurrentPersistenceIds()));
        await probe.RequestAsync(2);
        Assert.Equal(["a", "b"], new[] { await probe.ExpectNextAsync(), await probe.ExpectNextAsync() }.Order());
        await probe.ExpectCompleteAsync();
        await AtRestAsync();
    }

    private IAsyncEnumerable<JournalEvent> Of(string query) => query switch
    {
        "current by id" => Reader.CurrentEventsByPersistenceId("a"),
        "by id to 4" => Reader.EventsByPersistenceId("a", 0, 4),
        "by id" => Reader.EventsByPersistenceId("a"),
        "current by tag" => Reader.CurrentEventsByTag("tag"),
        "by tag" => Reader.EventsByTag("tag"),
        "current all" => Reader.CurrentAllEvents(),
        "all" => Reader.AllEvents(),
        "current slices" => Reader.CurrentEventsBySlices(0, 1023),
        "slices" => Reader.EventsBySlices(0, 1023),
        _ => throw new ArgumentOutOfRangeException(nameof(query)),
    };

    private static async Task<List<long>> NumbersAsync(QueryProbe<JournalEvent> probe, int count)
    {
        List<long> numbers = [];
        while (numbers.Count < count)
            numbers.Add((await probe.ExpectNextAsync()).SequenceNumber);
        return numbers;
    }

    [Fact]
    public void A_stage_always_has_the_same_shape()
    {
        var stage = new ThrottledQueryStage<string, string>(_ => throw new NotSupportedException(), new IdDecoder());
        Assert.Same(stage.Shape, stage.Shape);
    }
}
