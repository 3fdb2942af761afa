using Akka.Actor;
using Akka.Streams;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>A query as a part of a larger stream.</summary>
public sealed class CompositionTests : StreamKit
{
    private const int Events = 50;

    public override async Task InitializeAsync()
    {
        await base.InitializeAsync();
        await AppendAsync("a", Events);
        Open(new() { MaxBufferSize = 7 });
    }

    [Fact]
    public async Task A_source_that_runs_twice_reads_twice()
    {
        var source = Stream(Reader.CurrentEventsByPersistenceId("a"));
        var both = await Task.WhenAll(NumbersAsync(source), NumbersAsync(source));
        Assert.All(both, numbers => Assert.Equal(Numbers(1, Events), numbers));
        Assert.Equal(Numbers(1, Events), await NumbersAsync(source));
        await AtRestAsync();
    }

    [Fact]
    public async Task After_an_asynchronous_boundary_all_events_are_in_order()
    {
        var source = Stream(Reader.CurrentAllEvents()).Async().Select(each => each).Async().Select(each => each);
        Assert.Equal(Numbers(1, Events), await NumbersAsync(source));
        await AtRestAsync();
    }

    [Fact]
    public async Task Without_fusing_and_with_small_buffers_all_events_are_in_order()
    {
        var materializer = Sys.Materializer(ActorMaterializerSettings.Create(Sys).WithAutoFusing(false).WithInputBuffer(1, 1));
        var events = await Stream(Reader.CurrentEventsByTag("tag")).Select(each => each).RunWith(Sink.Seq<JournalEvent>(), materializer);
        Assert.Equal(Numbers(1, Events), events.Select(each => each.SequenceNumber));
        materializer.Shutdown();
        await AtRestAsync();
    }

    [Fact]
    public async Task Two_merged_queries_are_both_complete()
    {
        var merged = Stream(Reader.CurrentEventsByPersistenceId("a")).Merge(Stream(Reader.CurrentAllEvents()));
        var numbers = await NumbersAsync(merged);
        Assert.Equal(Numbers(1, Events).SelectMany(number => new[] { number, number }), numbers.Order());
        await AtRestAsync();
    }

    [Fact]
    public async Task A_source_that_is_restarted_after_a_failure_continues_where_it_was()
    {
        long position = 0;
        var attempts = 0;
        var settings = RestartSettings.Create(TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(1), 0);
        var source = RestartSource.OnFailuresWithBackoff(
            () =>
            {
                var isFirst = Interlocked.Increment(ref attempts) == 1;
                return Stream(Reader.CurrentAllEvents(Interlocked.Read(ref position))).Select(each => isFirst && each.SequenceNumber == 20
                    ? throw new InvalidOperationException("The handler fails once.")
                    : each);
            },
            settings).Select(each =>
            {
                Interlocked.Exchange(ref position, each.Ordering);
                return each;
            });
        Assert.Equal(Numbers(1, Events), await NumbersAsync(source));
        Assert.Equal(2, attempts);
        await AtRestAsync();
    }

    [Fact]
    public async Task A_stream_that_takes_some_events_reads_no_more()
    {
        var numbers = await NumbersAsync(Stream(Reader.EventsByPersistenceId("a")).Take(10));
        Assert.Equal(Numbers(1, 10), numbers);
        await AtRestAsync();
        Assert.InRange(Database.Begun, 2, 3);
    }

    [Fact]
    public async Task An_actor_sink_with_acknowledgements_gets_all_events_in_order()
    {
        Stream(Reader.CurrentEventsByPersistenceId("a")).Select(each => each.SequenceNumber)
            .RunWith(Sink.ActorRefWithAck<long>(TestActor, "start", "ack", "end"), Materializer);
        await ExpectMsgAsync("start");
        LastSender.Tell("ack");
        foreach (var number in Numbers(1, Events))
        {
            await ExpectMsgAsync(number);
            LastSender.Tell("ack");
        }
        await ExpectMsgAsync("end");
        await AtRestAsync();
    }

    private async Task<List<long>> NumbersAsync(Source<JournalEvent, NotUsed> source)
    {
        var events = await source.RunWith(Sink.Seq<JournalEvent>(), Materializer);
        return [.. events.Select(each => each.SequenceNumber)];
    }
}
