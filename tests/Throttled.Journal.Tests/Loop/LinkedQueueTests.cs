using Throttled.Journal.Loop;

namespace Throttled.Journal.Tests.Loop;

public sealed class LinkedQueueTests
{
    private readonly LinkedQueue<Member> _queue = new();
    private readonly Member _a = new(), _b = new(), _c = new();

    [Fact]
    public void Members_leave_in_the_order_in_which_they_came()
    {
        Join(_a, _b, _c);
        Assert.Equal([_a, _b, _c], TakeAll());
    }

    [Fact]
    public void Who_precedes_all_is_the_next()
    {
        Join(_a, _b);
        _queue.Insert([_c], static (_, _) => true);
        Assert.Equal([_c, _a, _b], TakeAll());
    }

    [Fact]
    public void Who_is_inserted_into_an_empty_line_is_its_end_too()
    {
        _queue.Insert([_a], static (_, _) => true);
        Join(_b);
        Assert.Equal([_a, _b], TakeAll());
    }

    [Fact]
    public void Those_inserted_stand_between_who_precedes_them_and_whom_they_precede()
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
    public void Who_leaves_from_anywhere_leaves_the_others_in_order(int index)
    {
        List<Member> members = [_a, _b, _c];
        Join(_a, _b, _c);
        Assert.True(_queue.Remove(members[index]));
        members.RemoveAt(index);
        Assert.Equal(2, _queue.Count);
        Assert.Equal(members, TakeAll());
    }

    [Fact]
    public void Who_has_left_can_join_again_at_the_end()
    {
        Join(_a, _b);
        _queue.Remove(_a);
        Join(_a);
        Assert.Equal([_b, _a], TakeAll());
    }

    [Fact]
    public void Who_is_not_in_the_line_does_not_leave_it()
    {
        new LinkedQueue<Member>().Enqueue(_a);
        Assert.False(_queue.Remove(_a));
        Assert.False(_queue.Remove(_b));
    }

    [Fact]
    public void Nobody_waits_in_two_lines()
    {
        Join(_a);
        Assert.Throws<InvalidOperationException>(() => new LinkedQueue<Member>().Enqueue(_a));
        Assert.Throws<InvalidOperationException>(() => _queue.Insert([_a], static (_, _) => true));
        Assert.Equal(1, _queue.Count);
    }

    [Fact]
    public void Those_found_may_leave_meanwhile()
    {
        Join(_a, _b, _c);
        foreach (var found in _queue.Where(member => member != _b))
            _queue.Remove(found);
        Assert.Equal([_b], TakeAll());
    }

    [Fact]
    public void Nobody_is_taken_from_an_empty_line()
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
