using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Settings;
using Akka.Streams;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>The end of an actor system is not reported as a failure of the database.</summary>
public sealed class ClosedTests
{
    private const string ClosedMessage =
        "The read journal 'akka.persistence.query.journal.throttled' is closed, because its actor system 'settings' terminates.";

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Streams_that_outlive_user_actors_fail_with_JournalClosedException(bool isCoordinated)
    {
        await using var system = new ConfiguredSystem(Hocon.Journal());
        var journal = system.Open();
        // System actors run longer than all user actors.
        var materializer = new TaskCompletionSource<ActorMaterializer>();
        ((ExtendedActorSystem)system.System).SystemActorOf(Props.Create(() => new Host(materializer)), "host");
        var host = await materializer.Task;
        Task<Exception>[] ends =
        [
            await EndAsync(journal.CurrentAllEvents(Offset.NoOffset()), host),
            await EndAsync(journal.EventsByPersistenceId("a", 0, 10), host),
            await EndAsync(journal.CurrentPersistenceIds(), host),
        ];
        // The journal has polled, and logs that its file does not exist.
        await system.LogsAsync("is not there");

        var ending = isCoordinated
            ? CoordinatedShutdown.Get(system.System).Run(CoordinatedShutdown.ClrExitReason.Instance)
            : system.System.Terminate();
        foreach (var end in ends)
            Assert.Equal(ClosedMessage, Assert.IsType<JournalClosedException>(await end).Message);
        await ending.WithinAsync("the end of the system");
    }

    [Fact]
    public void A_handler_of_database_errors_does_not_catch_JournalClosedException() =>
        Assert.False(typeof(JournalException).IsAssignableFrom(typeof(JournalClosedException)));

    // A stream whose actor has not started when the system ends would never end.
    private static async Task<Task<Exception>> EndAsync<T>(Source<T, NotUsed> source, IMaterializer materializer)
    {
        var probe = source.RunWith(StreamProbe<T>.Sink(), materializer);
        await probe.RequestAsync(1);
        return probe.ExpectErrorAsync();
    }

    private sealed class Host : ReceiveActor
    {
        public Host(TaskCompletionSource<ActorMaterializer> materializer) => materializer.SetResult(Context.Materializer());
    }
}
