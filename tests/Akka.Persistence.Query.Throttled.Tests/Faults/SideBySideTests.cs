using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

/// <summary>Two read journals in one actor system are independent.</summary>
public abstract class SideBySideOf(int ids)
{
    private const string First = "first";
    private const string Second = "second";
    private const int Permits = 2;
    private const string Limit = "max-concurrent-queries = 2, max-queries-per-statement = 3, max-buffer-size = 10";

    [PostgreSqlFact]
    public async Task Each_journal_of_a_database_has_its_own_limit()
    {
        await using var journal = await NewJournalAsync(SharedServer.Server);
        await using var side = new ReadSide((First, journal.Settings(Limit, First)), (Second, journal.Settings(Limit, Second)));
        await side.HasReadAsync(First);
        await side.HasReadAsync(Second);
        var tableLock = await journal.LockAsync();
        var streams = Task.WhenAll(TestEvents.Ids("id", ids).SelectMany(id => new[] { CountAsync(side, First, id), CountAsync(side, Second, id) }));
        await journal.UntilRunningAsync(running => running == Permits, First);
        await journal.UntilRunningAsync(running => running == Permits, Second);

        // All statements wait for the lock at first, and run at full speed afterwards.
        var most = 0L;
        await using var connection = await journal.Sql.OpenConnectionAsync();
        for (var i = 0; !streams.IsCompleted; i++)
        {
            if (i == 20)
                await tableLock.DisposeAsync();
            foreach (var name in new[] { First, Second })
                most = Math.Max(most, await connection.ScalarAsync<long>(ServerJournal.Running(name)));
        }

        Assert.All(await streams, count => Assert.Equal(50, count));
        // The permits, and one statement of the tail.
        Assert.InRange(most, Permits, Permits + 1);
    }

    [PostgreSqlFact]
    public async Task The_permits_of_one_journal_do_not_reduce_those_of_the_other()
    {
        await using var slow = await NewJournalAsync(SharedServer.Server);
        await using var quick = await NewJournalAsync(SharedServer.Server);
        await using var side = new ReadSide((First, slow.Settings(Limit, First)), (Second, quick.Settings(Limit, Second)));
        await side.HasReadAsync(First);
        var tableLock = await slow.LockAsync();
        var waiting = TestEvents.Ids("id", ids).Select(id => CountAsync(side, First, id)).ToList();
        await slow.UntilRunningAsync(running => running == Permits, First);

        var counts = await Task.WhenAll(TestEvents.Ids("id", ids).Select(id => CountAsync(side, Second, id))).WithinAsync("the streams of the other journal");

        Assert.All(counts, count => Assert.Equal(50, count));
        Assert.DoesNotContain(waiting, stream => stream.IsCompleted);
        Assert.Equal(Permits, side.MeterOf(First).PermitsUsed);
        await tableLock.DisposeAsync();
        Assert.All(await Task.WhenAll(waiting).WithinAsync("the streams that waited"), count => Assert.Equal(50, count));
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task An_outage_of_one_database_does_not_affect_streams_of_another()
    {
        using var server = PostgreSqlServer.Start();
        await using var failing = await NewJournalAsync(server);
        await using var healthy = await NewJournalAsync(SharedServer.Server);
        await using var side = new ReadSide((First, failing.Settings(Limit, First)), (Second, healthy.Settings(Limit, Second)));
        var (inFailing, inHealthy) = (0, 0);
        var first = side.JournalOf(First).AllEvents(Offset.NoOffset()).Take((ids * 50) + 1).RunForeach(_ => Interlocked.Increment(ref inFailing), side.Materializer);
        var second = side.JournalOf(Second).AllEvents(Offset.NoOffset()).Take((ids * 50) + 1).RunForeach(_ => Interlocked.Increment(ref inHealthy), side.Materializer);
        await Wait.UntilAsync(() => inFailing >= ids * 50 && inHealthy >= ids * 50, () => $"all events; there are {inFailing} and {inHealthy}");

        server.Kill();
        await side.MeterOf(First).MoreAsync(2, "probe");
        await healthy.AppendAsync(TestEvents.Of("new", 1, 1).Select(Bytes));

        await second.WithinAsync("the event in the available database");
        Assert.Equal(1, side.MeterOf(Second).Of("probe"));
        Assert.False(first.IsCompleted);
        server.Start();
        // The connection of its other appender ended with the server.
        await using var appender = failing.OpenAppender();
        await appender.AppendAsync([.. TestEvents.Of("new", 1, 1).Select(Bytes)]);
        await first.WithinAsync("the event in the restarted database");
    }

    private static async Task<int> CountAsync(ReadSide side, string journal, string id) => await side.JournalOf(journal)
        .CurrentEventsByPersistenceId(id, 0, long.MaxValue).RunAggregate(0, (count, _) => count + 1, side.Materializer);

    private async Task<ServerJournal> NewJournalAsync(PostgreSqlServer server)
    {
        var journal = await ServerJournal.CreateAsync(server);
        await journal.AppendAsync(TestEvents.OfEach(TestEvents.Ids("id", ids), 1, 50).Select(Bytes));
        return journal;
    }

    // Byte arrays, as stored by Akka.NET's own serializer for them.
    private static JournalEvent Bytes(JournalEvent each) => new()
    {
        PersistenceId = each.PersistenceId, SequenceNumber = each.SequenceNumber, Payload = each.Payload, SerializerId = 4,
    };
}

public sealed class SideBySideTests() : SideBySideOf(10);

[Trait("Category", "Long")]
public sealed class ManySideBySideTests() : SideBySideOf(Math.Max(30, LongShare.Of(300)));
