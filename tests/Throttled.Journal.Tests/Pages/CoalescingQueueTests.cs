using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Pages;

public sealed class CoalescingQueueTests
{
    private static readonly EventFilter Red = new() { Tag = "red" };
    private static readonly EventFilter Blue = new() { Tag = "blue" };
    private static readonly EventFilter Some = new() { Slices = new(0, 511) };

    private CoalescingQueue _queue = new(new());

    [Fact]
    public void An_empty_queue_has_no_next_batch() => Assert.Null(_queue.TakeNext());

    [Fact]
    public void Queries_of_all_events_from_nearly_the_same_position_share()
    {
        var (first, near, far, behind) = (Join(EventFilter.All, 100), Join(EventFilter.All, 350), Join(EventFilter.All, 351), Join(EventFilter.All, 99));
        Assert.Equal([first, near], _queue.TakeNext()!);
        Assert.Equal([far], _queue.TakeNext()!);
        Assert.Equal([behind], _queue.TakeNext()!);
    }

    [Fact]
    public void Slice_queries_share_from_further_apart_with_each_other_and_with_queries_of_all_events()
    {
        var (first, near, all, far) = (Join(Some, 0), Join(new() { Slices = new(512, 1023) }, 5_000), Join(EventFilter.All, 700), Join(Some, 5_001));
        Assert.Equal([first, near, all], _queue.TakeNext()!);
        Assert.Equal([far], _queue.TakeNext()!);
    }

    [Fact]
    public void Queries_by_the_tag_table_share_if_they_are_equal()
    {
        var (first, other, ahead, same) = (Join(Red, 5), Join(Blue, 5), Join(Red, 6), Join(Red, 5));
        Assert.Equal([first, same], _queue.TakeNext()!);
        Assert.Equal([other], _queue.TakeNext()!);
        Assert.Equal([ahead], _queue.TakeNext()!);
    }

    [Fact]
    public void Queries_by_the_tag_column_share_a_scan_for_any_tags()
    {
        _queue = new(new() { Tables = JournalTables.Sqlite });
        var (first, other, far) = (Join(Red, 5), Join(Blue, 25_004), Join(Red, 25_005));
        Assert.Equal([first, other], _queue.TakeNext()!);
        Assert.Equal([far], _queue.TakeNext()!);
    }

    [Fact]
    public void A_tag_query_does_not_share_with_a_query_of_all_events()
    {
        var (tag, _) = (Join(Red, 5), Join(EventFilter.All, 5));
        Assert.Equal([tag], _queue.TakeNext()!);
    }

    [Fact]
    public void A_batch_has_no_more_queries_than_one_statement_serves()
    {
        _queue = new(new() { MaxQueriesPerStatement = 3 });
        for (var i = 0; i < 5; i++)
            Join(EventFilter.All, 0);
        Assert.Equal([3, 2], [_queue.TakeNext()!.Length, _queue.TakeNext()!.Length]);
    }

    [Fact]
    public void A_query_of_persistence_ids_shares_no_statement()
    {
        var (first, second) = (new WaitingForIds(), new WaitingForIds());
        _queue.Queue.Enqueue(first);
        _queue.Queue.Enqueue(second);
        var all = Join(EventFilter.All, 0);
        Assert.Equal([first], _queue.TakeNext()!);
        Assert.Equal([second], _queue.TakeNext()!);
        Assert.Equal([all], _queue.TakeNext()!);
    }

    private WaitingOrdered Join(EventFilter filter, long position)
    {
        var request = new WaitingOrdered(filter, position);
        _queue.Queue.Enqueue(request);
        return request;
    }
}
