using Akka.Actor;
using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

public class FailureTests : StreamKit
{
    [Fact]
    public async Task A_failure_of_the_engine_fails_the_stream_once()
    {
        await AppendAsync("a", 3);
        // The first poll may have succeeded before the database refuses.
        Open(new() { FatalErrorGracePeriod = TimeSpan.Zero });
        Database.Fault = new InvalidOperationException("The database refuses.");
        var probe = Way.Run(Stream(Reader.EventsByPersistenceId("a")));
        await probe.RequestAsync(10);
        var error = Assert.IsType<JournalException>(await probe.ExpectErrorAsync());
        Assert.Contains("The database refuses.", error.Message, StringComparison.Ordinal);
        await AtRestAsync();
        probe.ExpectNoMsg();
    }

    [Fact]
    public async Task Events_that_were_read_before_a_failure_are_delivered_first()
    {
        await AppendAsync("a", 4);
        Open(new() { MaxBufferSize = 2, FatalErrorGracePeriod = TimeSpan.Zero });
        var probe = Way.Run(Stream(Reader.EventsByPersistenceId("a")));
        await probe.RequestAsync(1);
        await probe.ExpectNextAsync();
        Database.Fault = new InvalidOperationException("The database refuses.");
        await probe.RequestAsync(10);
        Assert.Equal(2, (await probe.ExpectNextAsync()).SequenceNumber);
        Assert.IsType<JournalException>(await probe.ExpectErrorAsync());
        await AtRestAsync();
    }

    [Fact]
    public async Task A_decoder_that_throws_fails_only_its_stream()
    {
        await AppendAsync("a", 3);
        Open();
        var whole = Way.ReadAsync(Stream(Reader.CurrentAllEvents()));
        var probe = Way.Run(Stream(Reader.AllEvents(), new ThrowingDecoder()));
        await probe.RequestAsync(10);
        Assert.Equal("1", await probe.ExpectNextAsync());
        Assert.IsType<NotSupportedException>(await probe.ExpectErrorAsync());
        Assert.Equal(3, (await whole).Count);
        await AtRestAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task When_the_throttler_stops_for_good_all_queries_fail_with_one_reason(bool isKilled)
    {
        await AppendAsync("a", 3);
        Open(new() { MaxConcurrentQueries = 1 });
        var following = Way.Run(Stream(Reader.EventsByPersistenceId("a")));
        await following.RequestAsync(10);
        await Meter.UntilFollowingAsync(1);
        Database.Block();
        var reading = Way.Run(Stream(Reader.CurrentEventsByPersistenceId("a")));
        await reading.RequestAsync(1);
        await Wait.UntilAsync(() => Database.Running == 1, "its statement");
        var waiting = Way.Run(Stream(Reader.CurrentAllEvents()));
        await waiting.RequestAsync(1);
        await FenceAsync();

        Throttler.Tell(isKilled ? Kill.Instance : PoisonPill.Instance);
        for (var number = 1; number <= 3; number++)
            Assert.Equal(number, (await following.ExpectNextAsync()).SequenceNumber);
        foreach (var probe in new[] { following, reading, waiting })
            Assert.Equal("The journal is closed.", Assert.IsType<JournalException>(await probe.ExpectErrorAsync()).Message);
        await Wait.UntilAsync(() => Database.IsDisposed, "the database to be disposed");
        Assert.Equal((0, 1), (Database.Running, Database.Cancelled));

        var late = Way.Run(Stream(Reader.AllEvents()));
        await late.RequestAsync(1);
        Assert.Equal("The journal is closed.", (await late.ExpectErrorAsync()).Message);
    }

    private sealed class ThrowingDecoder : IItemDecoder<JournalEvent, string>
    {
        public string Decode(JournalEvent item, out Queue<string>? rest)
        {
            rest = null;
            return item.SequenceNumber == 1 ? "1" : throw new NotSupportedException();
        }
    }
}
