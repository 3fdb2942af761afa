using Akka.Actor;
using Akka.Event;
using Akka.Streams;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

public sealed class CrowdTests() : StreamKit("akka.loglevel = ERROR")
{
    private const int Streams = 1000;
    private const int Ids = 20;
    private const int Events = 40;

    [Fact]
    public async Task A_thousand_streams_that_end_at_random_leave_nothing_behind()
    {
        const int Seed = 7;
        var random = new Random(Seed);
        for (var id = 0; id < Ids; id++)
            await AppendAsync($"id-{id}", Events);
        Open(new() { MaxConcurrentQueries = 4, MaxBufferSize = 5 });
        var deadLetters = CreateTestProbe();
        Sys.EventStream.Subscribe(deadLetters, typeof(DeadLetter));
        var ended = new List<Task<Done>>();
        var switches = new List<UniqueKillSwitch>();
        for (var i = 0; i < Streams; i++)
        {
            // Some streams end by themselves, others are stopped before, while or after they read.
            var (killing, end) = Stream(Query(random)).Take(random.Next(1, 2 * Events))
                .ViaMaterialized(KillSwitches.Single<JournalEvent>(), Keep.Right)
                .ToMaterialized(Sink.Ignore<JournalEvent>(), Keep.Both).Run(Materializer);
            switches.Add(killing);
            ended.Add(end.ContinueWith(_ => Done.Instance, TaskScheduler.Default));
            if (random.Next(3) == 0)
                switches[random.Next(switches.Count)].Shutdown();
            if (random.Next(100) == 0)
                await FenceAsync();
        }
        foreach (var each in switches)
            each.Shutdown();
        await Task.WhenAll(ended).WithinAsync($"the streams to end (seed {Seed})");
        await AtRestAsync();
        Assert.InRange(Database.MostRunning, 1, 4);
        await deadLetters.ExpectNoMsgAsync(TimeSpan.Zero);
        Assert.Equal(Ids * Events, (await Stream(Reader.CurrentAllEvents()).RunWith(Sink.Seq<JournalEvent>(), Materializer)).Count);
    }

    private IAsyncEnumerable<JournalEvent> Query(Random random) => random.Next(8) switch
    {
        0 => Reader.AllEvents(random.Next(Ids * Events)),
        1 => Reader.CurrentAllEvents(random.Next(Ids * Events)),
        2 => Reader.EventsByTag("tag"),
        3 => Reader.CurrentEventsByPersistenceId($"id-{random.Next(Ids)}"),
        _ => Reader.EventsByPersistenceId($"id-{random.Next(Ids)}"),
    };
}
