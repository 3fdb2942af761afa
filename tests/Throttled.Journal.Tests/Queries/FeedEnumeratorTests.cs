using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Queries;

public sealed class FeedEnumeratorTests : IDisposable
{
    private readonly World _world = new(options => options with { MaxBufferSize = 3, MaxBufferedBytes = 300 });

    public void Dispose() => _world.Dispose();

    [Fact]
    public void Events_come_one_by_one_and_then_the_end()
    {
        _world.Journal.Append("p", 1, 7);
        var reader = _world.OpenCurrent("p");
        _world.Settle();
        Assert.Equal([1, 2, 3, 4, 5, 6, 7], reader.SequenceNumbers);
        Assert.True(reader.IsCompleted);
    }

    [Fact]
    public void Cancelling_ends_a_wait_with_its_token()
    {
        var reader = _world.Open("p");
        _world.Settle();
        Assert.True(reader.IsWaiting);
        reader.Cancel();
        _world.Settle();
        Assert.IsType<OperationCanceledException>(reader.Failure);
        Assert.Equal(0, _world.Engine.Followers());
    }

    [Fact]
    public void Cancelling_in_the_middle_of_a_page_ends_there()
    {
        _world.Journal.Append("p", 1, 3);
        var reader = _world.Open("p");
        reader.IsEager = false;
        ReadOne(reader);
        reader.Cancel();
        reader.IsEager = true;
        _world.Settle();
        Assert.Single(reader.Events);
        Assert.IsType<OperationCanceledException>(reader.Failure);
        Assert.Equal(0, _world.Engine.Budget().Used);
    }

    [Fact]
    public void A_query_cancelled_before_it_began_reads_nothing()
    {
        var reader = _world.Open("p");
        reader.Cancel();
        _world.Settle();
        Assert.IsType<OperationCanceledException>(reader.Failure);
        Assert.Empty(_world.Database.Calls);
    }

    [Fact]
    public void Disposing_ends_the_wait()
    {
        var reader = _world.Open("p");
        _world.Settle();
        reader.Dispose();
        _world.Settle();
        Assert.False(reader.LastAnswer);
        Assert.Equal(0, _world.Engine.Followers());
    }

    [Fact]
    public void Disposing_cancels_a_statement_that_no_other_query_waits_for()
    {
        _world.IsHeld = call => call.IsPages;
        var reader = _world.Open("p");
        _world.Settle();
        reader.Dispose();
        _world.Settle();
        Assert.Equal(0, _world.Database.RunningPages);
        Assert.Equal(0, _world.Permits.Held);
    }

    [Fact]
    public void Disposing_gives_the_bytes_of_the_page_back()
    {
        _world.Journal.Append("p", 1, 3);
        var reader = _world.Open("p");
        reader.IsEager = false;
        ReadOne(reader);
        Assert.NotEqual(0, _world.Engine.Budget().Used);
        reader.Dispose();
        _world.Settle();
        Assert.Equal(0, _world.Engine.Budget().Used);
    }

    [Fact]
    public void A_page_discarded_in_the_middle_is_read_again_from_there()
    {
        _world.Journal.Append("p", 1, 3);
        _world.Journal.Append("q", 1, 3);
        var pausedReader = _world.Open("p");
        pausedReader.IsEager = false;
        ReadOne(pausedReader);
        MakeItForget();
        pausedReader.IsEager = true;
        _world.AdvanceUntil(() => pausedReader.Events.Count == 3);
        Assert.Equal([1, 2, 3], pausedReader.SequenceNumbers);
    }

    [Fact]
    public void A_bounded_query_whose_page_is_discarded_before_its_end_is_read_loses_nothing()
    {
        _world.Journal.Append("p", 1, 2);
        _world.Journal.Append("q", 1, 3);
        // The tail follows already. Only one page and the check of the end are needed to follow it.
        _world.Open("other");
        _world.Advance(TimeSpan.FromSeconds(1));
        var pausedReader = _world.Open("p", to: 9);
        pausedReader.IsEager = false;
        ReadOne(pausedReader);
        _world.Engine.Budget().Reserve(1000);
        MakeItForget();
        _world.Engine.Budget().Release(1000);
        pausedReader.IsEager = true;
        _world.AdvanceUntil(() => pausedReader.Events.Count == 2);
    }

    [Fact]
    public void An_id_with_half_of_a_surrogate_pair_is_refused() =>
        Assert.Throws<ArgumentException>(() => new JournalReader(_world.Engine).EventsByPersistenceId("x\uD800"));

    [Fact]
    public void Each_enumeration_is_independent()
    {
        _world.Journal.Append("p", 1, 2);
        _world.Settle();
        var events = new ByIdStream(_world.Engine, new("p", new SequenceRange(0, 5), IsLive: false));
        Assert.NotSame(events.GetAsyncEnumerator(), events.GetAsyncEnumerator());
    }

    private void MakeItForget()
    {
        var other = _world.OpenCurrent("q");
        _world.Advance(TimeSpan.FromSeconds(3));
        Assert.True(other.IsCompleted || _world.Engine.Budget().IsExhausted);
    }

    private void ReadOne(PolledReader reader)
    {
        reader.Step();
        _world.Settle();
        reader.Step();
        Assert.Single(reader.Events);
    }
}
