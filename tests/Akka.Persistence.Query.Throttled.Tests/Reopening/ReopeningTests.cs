using Akka.Actor;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Tests.Envelopes;
using Akka.Streams.Dsl;
using Throttled.Testing.Scripted;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Reopening;

/// <summary>A read journal that ends before its actor system reopens by itself.</summary>
public class ReopeningTests : EnvelopeKit
{
    private const string Plugin = ThrottledReadJournal.Identifier;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task When_the_throttler_is_stopped_streams_fail_once_with_the_reason_and_new_ones_work(bool isKilled)
    {
        Sys.EventStream.Subscribe(TestActor, typeof(Warning));
        await AppendAsync(Stored(1, new Kept(1)));
        var journal = Open();
        var source = journal.AllEvents(Offset.NoOffset());
        var running = await RunningAsync(source);
        Sys.ActorSelection("/system/query-throttler-*").Tell(isKilled ? Kill.Instance : PoisonPill.Instance);

        var error = await Assert.ThrowsAsync<JournalException>(() => running.WithinAsync("the failure"));
        Assert.Equal($"Something stopped the QueryThrottler actor of '{Plugin}', so all queries of this read journal ended. It opens again by itself; start the query again.", error.Message);
        // A source that was created before works too.
        await WorksAsync(journal, source);
        Assert.Equal(
            $"Something stopped the QueryThrottler actor of '{Plugin}'. All queries of this read journal ended; it opens again by itself.", (await ExpectMsgAsync<Warning>()).Message.ToString());
    }

    [Fact]
    public async Task After_a_defect_streams_fail_once_with_the_reason_and_new_ones_work()
    {
        await AppendAsync(Stored(1, new Kept(1)));
        var journal = Open();
        var source = journal.EventsByTag("tag", Offset.NoOffset());
        var running = await RunningAsync(source);
        var defect = Break(journal);

        var error = await Assert.ThrowsAsync<JournalException>(() => running.WithinAsync("the failure"));
        Assert.Equal("The journal reader ended all its queries because of a defect. It opens again by itself; start the query again, and please report the defect.", error.Message);
        Assert.Same(defect, error.InnerException);
        await WorksAsync(journal, source);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Streams_that_restart_at_once_do_not_fail_again(bool isDefect)
    {
        const int streams = 50;
        await AppendAsync(Stored(1, new Kept(1)));
        var journal = Open();
        var (events, failures) = (0, 0);
        var reading = Enumerable.Range(0, streams).Select(_ => ReadAsync()).ToList();
        await Wait.UntilAsync(() => Volatile.Read(ref events) == streams, "all streams");
        if (isDefect)
            Break(journal);
        else
            Sys.ActorSelection("/system/query-throttler-*").Tell(Kill.Instance);
        await Task.WhenAll(reading).WithinAsync("all streams to be read again");
        Assert.Equal((2 * streams, streams), (events, failures));

        async Task ReadAsync()
        {
            for (var run = 0; run < 2;)
            {
                try
                {
                    await foreach (var _ in Way.ItemsAsync(journal.AllEvents(Offset.NoOffset())))
                    {
                        Interlocked.Increment(ref events);
                        if (++run == 2)
                            break;
                    }
                }
                catch (JournalException)
                {
                    Interlocked.Increment(ref failures);
                }
            }
        }
    }

    [Fact]
    public async Task A_journal_reopens_after_every_end()
    {
        await AppendAsync(Stored(1, new Kept(1)));
        var journal = Open();
        for (var i = 0; i < 2; i++)
        {
            var engine = journal.Engine;
            Break(journal);
            await Wait.UntilAsync(() => journal.Engine != engine, "the next engine");
            await WorksAsync(journal, journal.AllEvents(Offset.NoOffset()));
            Assert.Equal(["a"], await Way.ReadAsync(journal.PersistenceIds(), 1));
        }
    }

    [Fact]
    public async Task If_the_engine_of_one_shard_ends_only_its_queries_fail()
    {
        await AppendAsync(Stored(1, new Kept(1)));
        var other = $"{ConnectionString}.other";
        await using (var appender = SqliteJournal.OpenAppender(other))
            await appender.CreateAsync();
        var journal = Open($"connection-string = \"\"\nshards = [\"{ConnectionString}\", \"{other}\"]");
        Assert.Equal(2, journal.Engines.Count);
        var engines = journal.Engines.ToList();
        Break(journal, shard: 1);
        await Wait.UntilAsync(() => journal.Engines[1] != engines[1], "the other engine");
        Assert.Same(engines[0], journal.Engines[0]);
    }

    private static Exception Break(ThrottledReadJournal journal, int shard = 0)
    {
        var defect = new InvalidOperationException("A defect.");
        journal.Engines[shard].Parts().Journal.Loop.Post(_ => throw defect, journal);
        return defect;
    }

    private async Task<Task> RunningAsync(Source<EventEnvelope, NotUsed> source)
    {
        var first = new TaskCompletionSource();
        var running = Task.Run(async () =>
        {
            await foreach (var _ in Way.ItemsAsync(source))
                first.TrySetResult();
        });
        await first.Task.WithinAsync("the first event");
        return running;
    }

    private async Task WorksAsync(ThrottledReadJournal journal, Source<EventEnvelope, NotUsed> source)
    {
        Assert.Equal(new Kept(1), Assert.Single(await Way.ReadAsync(source, 1)).Event);
        Assert.NotEmpty(await Way.ReadAsync(journal.CurrentEventsByPersistenceId("a", 0, long.MaxValue)));
    }
}
