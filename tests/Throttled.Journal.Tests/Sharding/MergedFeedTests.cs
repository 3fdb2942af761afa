namespace Throttled.Journal.Tests.Sharding;

public sealed class MergedFeedTests
{
    private readonly ScriptedFeed _a = new(["a1", "a2", "a3", "a4"]);
    private readonly ScriptedFeed _b = new(["b1", "b2", "b3", "b4"]);
    private readonly ScriptedReader _reader;

    public MergedFeedTests() => _reader = new(_a, _b);

    [Fact]
    public void No_shard_is_read_before_the_reader_asks()
    {
        Assert.Equal(0, _a.Demands + _b.Demands);
        _reader.Step();
        Assert.Equal((1, 1), (_a.Demands, _b.Demands));
    }

    [Fact]
    public void An_empty_shard_does_not_delay_the_other()
    {
        for (var i = 0; i < 4; i++)
        {
            _reader.ReadOn();
            _a.Bring();
        }
        Assert.Equal(["a1", "a2", "a3", "a4"], _reader.Items);
    }

    [Fact]
    public void A_shard_that_was_read_queues_again_behind_the_others()
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
    public void A_shard_with_a_waiting_page_is_not_asked_for_another()
    {
        _reader.Step();
        _a.Bring();
        _b.Bring();
        Assert.Equal((1, 1), (_a.Demands, _b.Demands));
        Assert.False(_a.IsDemanding);
        Assert.False(_b.IsDemanding);
    }

    [Fact]
    public void A_waiting_page_that_was_discarded_is_read_again_behind_its_first_item()
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
    public void A_page_discarded_in_the_middle_is_read_again_from_its_own_shard()
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
    public void Only_the_last_page_of_all_is_marked_as_the_last()
    {
        var (first, last) = (new ScriptedFeed(["a1"]) { MarksItsEnd = true }, new ScriptedFeed(["b1"]) { MarksItsEnd = true });
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
    public void A_page_becomes_the_last_when_the_other_shards_end_after_it()
    {
        var (first, empty) = (new ScriptedFeed(["a1"]) { MarksItsEnd = true }, new ScriptedFeed([]));
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
    public void A_page_becomes_the_last_when_its_shard_learns_its_end_later(bool isLastShard)
    {
        var (first, empty) = (new ScriptedFeed(["a1"]), new ScriptedFeed([]));
        var reader = new ScriptedReader(first, empty);
        reader.Step();
        first.Bring();
        if (isLastShard)
            empty.Complete();
        Assert.False(reader.IsAtEnd);
        first.ReportEnd();
        Assert.Equal(isLastShard, reader.IsAtEnd);
        if (!isLastShard)
            empty.Complete();
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void A_shard_that_was_read_to_its_end_is_not_read_again()
    {
        var ended = new ScriptedFeed(["a1", "a2"]) { MarksItsEnd = true };
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
    public void A_discarded_last_page_is_read_to_its_end()
    {
        var (first, last) = (new ScriptedFeed(["a1", "a2", "a3"]) { MarksItsEnd = true }, new ScriptedFeed([]));
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
    public void The_failure_of_a_shard_is_reported_once_and_closes_the_others()
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
    public void A_failure_without_demand_is_reported_alone_at_the_next_demand()
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
    public void After_one_shard_has_failed_the_others_are_ignored()
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
    public void Cancelling_closes_all_shards_and_ends_with_its_reason()
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
    public void Cancelling_before_the_start_ends_the_reader_and_starts_no_shard()
    {
        _reader.Feed.Close(new OperationCanceledException());
        _reader.Step();
        Assert.IsType<OperationCanceledException>(Assert.Single(_reader.Failures));
        Assert.Equal(0, _a.Demands + _b.Demands);
    }

    [Fact]
    public void A_page_that_comes_after_its_reader_left_is_not_delivered()
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
    public void A_reader_that_asks_again_during_a_delivery_gets_the_next_page()
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
