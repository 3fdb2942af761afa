using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

/// <summary>An actor system that terminates while streams run leaves nothing behind on the server.</summary>
public abstract class TerminationsOf(int streams, ITestOutputHelper output)
{
    [PostgreSqlTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Streams_and_their_statements_end_with_the_actor_system(bool isCoordinated)
    {
        using var unobserved = new Unobserved();
        await using var journal = await ServerJournal.CreateAsync(SharedServer.Server);
        await journal.AppendAsync(EveryQuery.NewEvents());
        await using var side = ReadSide.Of(journal.Settings("max-concurrent-queries = 20, max-queries-per-statement = 10, statement-timeout = 10m"));
        await side.HasReadAsync();
        await using var tableLock = await journal.LockAsync();
        var (live, current) = (EveryQuery.Live(side, streams / 18), EveryQuery.Current(side, streams / 18));
        List<Task<int>> running = [.. live, .. current];
        // Some streams wait for their statements, and the others in the queue.
        await journal.UntilRunningAsync(statements => statements > 5);

        var ending = isCoordinated
            ? CoordinatedShutdown.Get(side.System).Run(CoordinatedShutdown.ClrExitReason.Instance)
            : side.System.Terminate();
        // This would take longer if statements were not cancelled.
        await ending.WithinAsync("the end of the actor system");

        await using var connection = await journal.Sql.OpenConnectionAsync();
        Assert.Equal(0, await connection.ScalarAsync<long>(ServerJournal.Running()));
        // The server needs a moment to end a closed session.
        await Wait.UntilAsync(async () => await connection.ScalarAsync<long>(ServerJournal.Sessions) == 0, () => "the end of all sessions");
        await Task.WhenAll(running).ContinueWith(ended => ended.Exception, TaskScheduler.Default).WithinAsync("the end of all streams");
        // The end of a subscription can come too late for its receiver.
        Assert.All(live, stream => Assert.True(stream.IsCompletedSuccessfully || stream.Exception?.InnerException is ReceiverStoppedException, $"{stream.Exception}"));
        Assert.All(current, stream => Assert.False(stream.IsCompletedSuccessfully));
        foreach (var each in running.GroupBy(stream => stream.Exception?.GetBaseException().Message))
            output.WriteLine($"{each.Count()} streams ended with: {each.Key}");
        Assert.Equal(0, side.WarningsAndErrors);
        unobserved.AreNone();
    }
}

[Collection(AloneCollection.Name)]
public sealed class TerminationTests(ITestOutputHelper output) : TerminationsOf(180, output);

[Collection(AloneCollection.Name)]
[Trait("Category", "Long")]
public sealed class ManyTerminationsTests(ITestOutputHelper output) : TerminationsOf(1_000, output);
