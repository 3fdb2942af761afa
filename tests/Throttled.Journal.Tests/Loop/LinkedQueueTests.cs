using Throttled.Journal.Loop;

namespace Throttled.Journal.Tests.Loop;

public sealed class LinkedQueueTests
{
    private readonly LinkedQueue<Member> _queue = new();
    private readonly Member _a = new(), _b = new(), _c = new();

    [Fact]
    public void Members_are_taken_in_the_order_in_which_they_joined()
    {
        Join(_a, _b, _c);
        Assert.Equal([_a, _b, _c], TakeAll());
    }

    [Fact]
    public void A_member_that_precedes_all_is_taken_next()
    {
        Join(_a, _b);
        _queue.Insert([_c], static (_, _) => true);
        Assert.Equal([_c, _a, _b], TakeAll());
    }

    [Fact]
    public void A_member_inserted_into_an_empty_queue_is_its_end_too()
    {
        _queue.Insert([_a], static (_, _) => true);
        Join(_b);
        Assert.Equal([_a, _b], TakeAll());
    }

    [Fact]
    public void Inserted_members_stand_between_their_predecessors_and_successors()
    {
        var d = new Member();
        Join(_a, _c);
        _queue.Insert([_b, d], (member, other) => member == _b && other == _c);
        Assert.Equal([_a, _b, _c, d], TakeAll());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Removing_any_member_keeps_the_others_in_order(int index)
    {
        List<Member> members = [_a, _b, _c];
        Join(_a, _b, _c);
        Assert.True(_queue.Remove(members[index]));
        members.RemoveAt(index);
        Assert.Equal(2, _queue.Count);
        Assert.Equal(members, TakeAll());
    }

    [Fact]
    public void A_removed_member_can_join_again_at_the_end()
    {
        Join(_a, _b);
        _queue.Remove(_a);
        Join(_a);
        Assert.Equal([_b, _a], TakeAll());
    }

    [Fact]
    public void A_member_of_another_queue_is_not_removed()
    {
        new LinkedQueue<Member>().Enqueue(_a);
        Assert.False(_queue.Remove(_a));
        Assert.False(_queue.Remove(_b));
    }

    [Fact]
    public void A_member_cannot_be_in_two_queues()
    {
        Join(_a);
        Assert.Throws<InvalidOperationException>(() => new LinkedQueue<Member>().Enqueue(_a));
        Assert.Throws<InvalidOperationException>(() => _queue.Insert([_a], static (_, _) => true));
        Assert.Equal(1, _queue.Count);
    }

    [Fact]
    public void Members_can_be_removed_while_they_are_enumerated()
    {
        Join(_a, _b, _c);
        foreach (var found in _queue.Where(member => member != _b))
            _queue.Remove(found);
        Assert.Equal([_b], TakeAll());
    }

    [Fact]
    public void Nothing_is_taken_from_an_empty_queue()
    {
        Assert.Null(_queue.TakeFirst());
        Assert.Null(_queue.First);
    }

    private void Join(params Member[] members)
    {
        foreach (var member in members)
            _queue.Enqueue(member);
    }

    private List<Member> TakeAll()
    {
        List<Member> all = [];
        while (_queue.TakeFirst() is { } first)
            all.Add(first);
        return all;
    }

    private sealed class Member : ILinked<Member>
    {
        public LinkedQueue<Member>? Queue { get; set; }

        public Member? Previous { get; set; }

        public Member? Next { get; set; }
    }
}
