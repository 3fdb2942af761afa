namespace Throttled.Journal.Tests.Sharding;

public sealed class MergedFeedTests
{
    private readonly ScriptedFeed _a = new(["a1", "a2", "a3", "a4"]);
    private readonly ScriptedFeed _b = new(["b1", "b2", "b3", "b4"]);
    private readonly ScriptedReader _reader;

    public MergedFeedTests() => _reader = new(_a, _b);

    [Fact]
    public void Nothing_is_asked_of_a_shard_before_its_reader_asks()
    {
        Assert.Equal(0, _a.Demands + _b.Demands);
        _reader.Step();
        Assert.Equal((1, 1), (_a.Demands, _b.Demands));
    }

    [Fact]
    public void A_shard_that_brings_nothing_does_not_keep_the_other_back()
    {
        for (var i = 0; i < 4; i++)
        {
            _reader.ReadOn();
            _a.Bring();
        }
        Assert.Equal(["a1", "a2", "a3", "a4"], _reader.Items);
    }

    [Fact]
    public void A_shard_that_was_read_comes_again_behind_those_that_wait()
    {
        _reader.Step();
        _a.Bring(2);
        _b.Bring(2);
        Assert.Equal(["a1"], _reader.Items);
        _reader.Step();
        _reader.Step();
        Assert.True(_a.IsDemanding);
        _a.Bring(2);
        _reader.ReadOn();
        Assert.Equal(["a1", "a2", "b1", "b2", "a3", "a4"], _reader.Items);
    }

    [Fact]
    public void A_shard_whose_page_waits_is_asked_for_no_other()
    {
        _reader.Step();
        _a.Bring();
        _b.Bring();
        Assert.Equal((1, 1), (_a.Demands, _b.Demands));
        Assert.False(_a.IsDemanding);
        Assert.False(_b.IsDemanding);
    }

    [Fact]
    public void A_page_that_was_forgotten_while_it_waited_is_read_again_behind_its_first_item()
    {
        _reader.Step();
        _a.Bring();
        _b.Bring(3);
        _b.Forget();
        _reader.ReadOn();
        Assert.Equal(["a1", "b1"], _reader.Items);
        _b.Bring(3);
        Assert.Equal(["a1", "b1", "b2"], _reader.Items);
    }

    [Fact]
    public void A_page_that_was_forgotten_in_the_middle_is_read_again_of_its_own_shard()
    {
        _reader.Step();
        _a.Bring(3);
        _reader.Step();
        _a.Forget();
        _b.Bring(1);
        _reader.ReadOn();
        Assert.Equal(["a1", "a2", "b1"], _reader.Items);
        _a.Bring(1);
        Assert.Equal("a3", _reader.Items[^1]);
    }

    [Fact]
    public void It_ends_when_all_shards_have_ended()
    {
        _reader.Step();
        _a.Bring(4);
        _b.Bring(4);
        _reader.ReadOn();
        _a.Complete();
        Assert.False(_reader.HasEnded);
        _b.Complete();
        Assert.Equal(1, _reader.Completions);
        Assert.Equal(8, _reader.Items.Count);
    }

    [Fact]
    public void The_last_page_of_all_says_that_it_is_the_last_and_no_other_does()
    {
        var (first, last) = (new ScriptedFeed(["a1"]) { SaysItsEnd = true }, new ScriptedFeed(["b1"]) { SaysItsEnd = true });
        var reader = new ScriptedReader(first, last);
        reader.Step();
        first.Bring();
        last.Bring();
        Assert.False(reader.IsAtEnd);
        reader.Step();
        Assert.Equal("b1", reader.Items[^1]);
        Assert.True(reader.IsAtEnd);
        Assert.Equal(1, first.Demands);
        reader.Step();
        Assert.Equal(1, reader.Completions);
    }

    [Fact]
    public void A_page_becomes_the_last_where_the_other_shards_end_behind_it()
    {
        var (first, empty) = (new ScriptedFeed(["a1"]) { SaysItsEnd = true }, new ScriptedFeed([]));
        var reader = new ScriptedReader(first, empty);
        reader.Step();
        first.Bring();
        Assert.False(reader.IsAtEnd);
        empty.Complete();
        Assert.True(reader.IsAtEnd);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_page_becomes_the_last_where_its_shard_learns_its_own_end_later(bool isLastShard)
    {
        var (first, empty) = (new ScriptedFeed(["a1"]), new ScriptedFeed([]));
        var reader = new ScriptedReader(first, empty);
        reader.Step();
        first.Bring();
        if (isLastShard)
            empty.Complete();
        Assert.False(reader.IsAtEnd);
        first.TellEnd();
        Assert.Equal(isLastShard, reader.IsAtEnd);
        if (!isLastShard)
            empty.Complete();
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void A_shard_that_was_read_to_its_end_is_left_while_the_others_go_on()
    {
        var ended = new ScriptedFeed(["a1", "a2"]) { SaysItsEnd = true };
        var reader = new ScriptedReader(ended, _b);
        reader.Step();
        ended.Bring(2);
        reader.Step();
        Assert.False(ended.IsClosed);
        reader.Step();
        Assert.True(ended.IsClosed);
        Assert.False(_b.IsClosed);
    }

    [Fact]
    public void A_last_page_that_was_forgotten_is_read_to_its_end_all_the_same()
    {
        var (first, last) = (new ScriptedFeed(["a1", "a2", "a3"]) { SaysItsEnd = true }, new ScriptedFeed([]));
        var reader = new ScriptedReader(first, last);
        reader.Step();
        last.Complete();
        first.Bring(3);
        first.Forget();
        Assert.False(reader.IsAtEnd);
        reader.ReadOn();
        first.Bring(3);
        reader.ReadOn();
        Assert.Equal(["a1", "a2", "a3"], reader.Items);
        Assert.Equal(1, reader.Completions);
    }

    [Fact]
    public void The_failure_of_a_shard_is_told_once_and_closes_the_others()
    {
        var failure = new InvalidOperationException();
        _reader.Step();
        _a.Fail(failure);
        Assert.Same(failure, Assert.Single(_reader.Failures));
        Assert.True(_b.IsClosed);
        _reader.Step();
        Assert.Single(_reader.Failures);
        Assert.Equal(1, _reader.Completions);
    }

    [Fact]
    public void A_failure_while_nobody_waits_is_told_at_the_next_demand_and_nothing_else_is()
    {
        var failure = new InvalidOperationException();
        var third = new ScriptedFeed(["c1"]);
        var reader = new ScriptedReader(_a, _b, third);
        reader.Step();
        _a.Bring();
        _b.Bring();
        third.Fail(failure);
        Assert.Empty(reader.Failures);
        reader.ReadOn();
        Assert.Equal(["a1"], reader.Items);
        Assert.Same(failure, Assert.Single(reader.Failures));
    }

    [Fact]
    public void What_the_others_say_after_one_has_failed_is_not_told()
    {
        var third = new ScriptedFeed(["c1"]);
        var reader = new ScriptedReader(_a, _b, third);
        reader.Step();
        _a.Fail(new InvalidOperationException());
        _b.Fail(new IOException());
        third.Bring();
        reader.Step();
        Assert.IsType<InvalidOperationException>(Assert.Single(reader.Failures));
        Assert.Empty(reader.Items);
        Assert.Equal(1, reader.Completions);
    }

    [Fact]
    public void Whoever_leaves_closes_all_shards_and_is_told_what_it_left_with()
    {
        var failure = new OperationCanceledException();
        _reader.Step();
        _reader.Feed.Close(failure);
        Assert.Same(failure, Assert.Single(_reader.Failures));
        Assert.True(_a.IsClosed && _b.IsClosed);
        _reader.Feed.Close();
        Assert.Equal((1, 0), (_reader.Failures.Count, _reader.Completions));
    }

    [Fact]
    public void Whoever_leaves_before_it_has_begun_is_told_so_and_begins_nothing()
    {
        _reader.Feed.Close(new OperationCanceledException());
        _reader.Step();
        Assert.IsType<OperationCanceledException>(Assert.Single(_reader.Failures));
        Assert.Equal(0, _a.Demands + _b.Demands);
    }

    [Fact]
    public void A_page_that_comes_after_its_reader_left_is_not_given()
    {
        _reader.Step();
        _a.Bring(2);
        _b.Bring();
        _reader.Feed.Close();
        _reader.ReadOn();
        Assert.Equal(["a1", "a2"], _reader.Items);
        Assert.Equal(1, _reader.Completions);
    }

    [Fact]
    public void Whoever_asks_again_while_it_is_given_a_page_gets_the_next()
    {
        _reader.Given = _ =>
        {
            if (_reader.Items.Count < 4)
                _reader.Step();
        };
        _reader.Step();
        _a.Bring();
        _b.Bring();
        _a.Bring();
        _b.Bring();
        Assert.Equal(["a1", "b1", "a2", "b2"], _reader.Items);
    }
}
