using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Settings;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>The end of an actor system is not reported as a failure of the database.</summary>
public class ClosedTests
{
    private const string ClosedMessage =
        "The read journal 'akka.persistence.query.journal.throttled' is closed, because its actor system 'settings' terminates.";

    private int _receivers;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Streams_that_outlive_user_actors_fail_with_JournalClosedException(bool isCoordinated)
    {
        await using var system = new ConfiguredSystem(Hocon.Journal());
        var journal = system.Open();
        // System actors run longer than all user actors.
        var way = await WayAsync((ExtendedActorSystem)system.System);
        Task<Exception>[] ends =
        [
            await EndAsync(journal.CurrentAllEvents(Offset.NoOffset()), way),
            await EndAsync(journal.EventsByPersistenceId("a", 0, 10), way),
            await EndAsync(journal.CurrentPersistenceIds(), way),
        ];
        // The journal has polled, and logs that its file does not exist.
        await system.LogsAsync("is not there");

        var ending = isCoordinated
            ? CoordinatedShutdown.Get(system.System).Run(CoordinatedShutdown.ClrExitReason.Instance)
            : system.System.Terminate();
        foreach (var end in await Task.WhenAll(ends).WithinAsync("the ends of the queries"))
        {
            // The system may stop a receiver before it handles the end of its subscription.
            if (this is not IBySubscription || end is not ReceiverStoppedException)
                Assert.Equal(ClosedMessage, Assert.IsType<JournalClosedException>(end).Message);
        }
        await ending.WithinAsync("the end of the system");
    }

    [Fact]
    public void A_handler_of_database_errors_does_not_catch_JournalClosedException() =>
        Assert.False(typeof(JournalException).IsAssignableFrom(typeof(JournalClosedException)));

    private async Task<QueryWay> WayAsync(ExtendedActorSystem system)
    {
        if (this is IBySubscription)
            return new SubscriptionWay((props, _) => system.SystemActorOf(props, $"receiver-{Interlocked.Increment(ref _receivers)}"));
        var materializer = new TaskCompletionSource<ActorMaterializer>();
        system.SystemActorOf(Props.Create(() => new Host(materializer)), "host");
        return new StreamWay(await materializer.Task);
    }

    // A stream whose actor has not started when the system ends would never end.
    private static async Task<Task<Exception>> EndAsync<T>(Source<T, NotUsed> source, QueryWay way)
        where T : class
    {
        var probe = way.Run(source);
        await probe.RequestAsync(1);
        return probe.ExpectErrorAsync();
    }

    private sealed class Host : ReceiveActor
    {
        public Host(TaskCompletionSource<ActorMaterializer> materializer) => materializer.SetResult(Context.Materializer());
    }
}
