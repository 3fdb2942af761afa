using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Pages;

public sealed class PageQueuesTests
{
    private readonly PageQueues _queues = new(
        new() { MaxQueriesPerStatement = 2 }, new(new FakeClock(), new ManualScheduler(), static _ => { }), 4, static () => 100);
    private long _position;

    [Fact]
    public void The_queues_take_turns_and_each_is_first_come_first_served()
    {
        var byId = Enumerable.Range(0, 6).Select(_ => Join(new WaitingById())).ToList();
        var single = Enumerable.Range(0, 3).Select(_ => Join(Single())).ToList();
        List<PageRequest> order = [];
        for (var i = 0; i < 6; i++)
            order.AddRange(Members(_queues.TakeBatch(1)!));
        Assert.Equal([byId[0], byId[1], single[0], byId[2], byId[3], single[1], byId[4], byId[5], single[2]], order);
        Assert.Null(_queues.TakeBatch(1));
    }

    [Fact]
    public void If_one_queue_is_empty_the_other_goes_on()
    {
        var (first, second) = (Join(Single()), Join(Single()));
        Assert.Equal([first], Members(_queues.TakeBatch(1)!));
        Assert.Equal([second], Members(_queues.TakeBatch(1)!));
        var byId = Join(new WaitingById());
        Assert.Equal([byId], Members(_queues.TakeBatch(1)!));
    }

    [Fact]
    public void Many_requests_in_one_queue_do_not_starve_the_other()
    {
        for (var i = 0; i < 1000; i++)
            Join(new WaitingById());
        _queues.TakeBatch(1);
        var single = Join(Single());
        Assert.Equal([single], Members(_queues.TakeBatch(1)!));
    }

    [Fact]
    public void Requests_by_id_are_spread_over_the_free_permits()
    {
        for (var i = 0; i < 4; i++)
            Join(new WaitingById());
        Assert.Equal(1, _queues.TakeBatch(4)!.Count);
        Assert.Equal(2, _queues.TakeBatch(1)!.Count);
    }

    [Fact]
    public void A_request_that_a_statement_did_not_reach_is_first_in_its_queue()
    {
        var (a, b, c) = (Join(new WaitingById()), Join(new WaitingById()), Join(new WaitingById()));
        var batch = _queues.TakeBatch(1)!;
        Assert.Equal([a, b], Members(batch));
        _queues.Requeue([a, b]);
        Assert.Equal([a, b], Members(_queues.TakeBatch(1)!));
        Assert.Equal([c], Members(_queues.TakeBatch(1)!));
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 0)]
    public void Requests_that_are_queued_again_keep_their_order_whichever_statement_ends_first(int first, int second)
    {
        var (a, b, c) = (Join(new WaitingById()), Join(new WaitingById()), Join(new WaitingById()));
        PageBatch[] batches = [_queues.TakeBatch(3)!, _queues.TakeBatch(2)!];
        _queues.Requeue(batches[first].Dissolve());
        _queues.Requeue(batches[second].Dissolve());
        Assert.Equal([a, b], Members(_queues.TakeBatch(1)!));
        Assert.Equal([c], Members(_queues.TakeBatch(1)!));
    }

    [Fact]
    public void A_removed_request_is_in_no_queue()
    {
        var (byId, single) = (Join(new WaitingById()), Join(Single()));
        Assert.True(_queues.Remove(byId));
        Assert.True(_queues.Remove(single));
        Assert.False(_queues.Remove(single));
        Assert.Equal(0, _queues.Count);
    }

    [Fact]
    public void The_longest_waiting_request_is_that_of_both_queues()
    {
        Assert.Null(_queues.Longest);
        Join(new WaitingById()).Since = TimeSpan.FromSeconds(2);
        Assert.Equal(TimeSpan.FromSeconds(2), _queues.Longest!.Since);
        Join(Single()).Since = TimeSpan.FromSeconds(1);
        Assert.Equal(TimeSpan.FromSeconds(1), _queues.Longest.Since);
    }

    private static IEnumerable<PageRequest> Members(PageBatch batch) => Enumerable.Range(0, batch.Size).Select(i => batch[i]!);

    // The positions are far apart, so that no two share a statement.
    private WaitingOrdered Single() => new(EventFilter.All, _position += 100_000);

    private T Join<T>(T request)
        where T : PageRequest
    {
        _queues.Enqueue(request);
        return request;
    }
}
