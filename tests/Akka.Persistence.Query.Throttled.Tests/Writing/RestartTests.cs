using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Microsoft.Data.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>If the sharded journal restarts, all waiting messages get an answer.</summary>
public sealed class RestartTests : IDisposable
{
    private readonly ShardedFiles _files = ShardedFiles.OfSql(2);

    [Fact]
    public async Task Messages_that_wait_for_a_shard_fail_and_later_ones_are_forwarded()
    {
        // Checking the database waits for this lock.
        await using var connection = new SqliteConnection(_files.Files[1].ConnectionString);
        await connection.OpenAsync();
        await RunAsync(connection, "BEGIN EXCLUSIVE");
        await using var kit = ShardedKit.On(_files);
        var (entity, id) = (Inbox.Create(kit.System), _files.IdIn(1));
        kit.Journal.Tell(Write(id, entity.Receiver));
        kit.Journal.Tell(new ReplayMessages(1, 9, 9, id, entity.Receiver));
        kit.Journal.Tell(new DeleteMessagesTo(id, 5, entity.Receiver));
        Break(kit.Journal);

        const string message = "The write journal 'akka.persistence.journal.sharded-databases' restarted before it forwarded this message, so the message had no effect: ";
        Assert.StartsWith(message, (await NextAsync<WriteMessagesFailed>(entity)).Cause.Message, StringComparison.Ordinal);
        Assert.StartsWith(message, (await NextAsync<WriteMessageFailure>(entity)).Cause.Message, StringComparison.Ordinal);
        Assert.StartsWith(message, (await NextAsync<ReplayMessagesFailure>(entity)).Cause.Message, StringComparison.Ordinal);
        Assert.StartsWith(message, (await NextAsync<DeleteMessagesFailure>(entity)).Cause.Message, StringComparison.Ordinal);

        await RunAsync(connection, "ROLLBACK");
        Assert.Null(await kit.PersistAsync(id, "later"));
    }

    [Fact]
    public async Task Messages_deferred_after_a_restart_still_follow_earlier_writes()
    {
        await using var connection = new SqliteConnection(_files.Files[1].ConnectionString);
        await connection.OpenAsync();
        await using var kit = ShardedKit.On(_files);
        var (entity, id) = (Inbox.Create(kit.System), _files.IdIn(1));
        Assert.Null(await kit.PersistAsync(id, "1"));
        // The write is in flight until this lock is released.
        await RunAsync(connection, "BEGIN EXCLUSIVE");
        kit.Journal.Tell(Write(id, entity.Receiver, sequenceNr: 2));
        Break(kit.Journal);
        kit.Journal.Tell(new WriteMessages([new DeferredMessage("deferred", entity.Receiver)], entity.Receiver, 1));
        // The journal has received all messages.
        await kit.Journal.Ask<ActorIdentity>(new Identify(0)).WithinAsync("the journal");
        await RunAsync(connection, "ROLLBACK");

        // Ignore the answer to the message as a whole: Akka.Persistence.Sql fails it if it has no event, but handlers do not depend on it.
        List<object> handled = [];
        while (handled.Count < 2)
        {
            if (await entity.ReceiveAsync(TimeSpan.FromSeconds(60)) is var next && next is not (WriteMessagesSuccessful or WriteMessagesFailed))
                handled.Add(next);
        }
        Assert.Equal(2, Assert.IsType<WriteMessageSuccess>(handled[0]).Persistent.SequenceNr);
        Assert.Equal("deferred", Assert.IsType<LoopMessageSuccess>(handled[1]).Message);
    }

    [Fact]
    public async Task The_message_that_causes_the_restart_is_answered()
    {
        await using var kit = ShardedKit.On(_files);
        var (entity, id) = (Inbox.Create(kit.System), _files.IdIn(1));
        kit.Journal.Tell(new WriteMessages(UnreadableOnce(Write(id, entity.Receiver).Messages), entity.Receiver, 1));
        Assert.Contains("It cannot be read.", (await NextAsync<WriteMessagesFailed>(entity)).Cause.Message, StringComparison.Ordinal);
        Assert.Contains("It cannot be read.", (await NextAsync<WriteMessageFailure>(entity)).Cause.Message, StringComparison.Ordinal);
        Assert.Null(await kit.PersistAsync(id, "later"));
    }

    public void Dispose() => _files.Delete();

    // A message that no persistent actor sends; handling it throws.
    private static void Break(IActorRef journal) => journal.Tell(new WriteMessages(UnreadableOnce([]), ActorRefs.Nobody, 1));

    private static IEnumerable<IPersistentEnvelope> UnreadableOnce(IEnumerable<IPersistentEnvelope> messages)
    {
        var isRead = false;
        return Enumerable.Range(0, 1).SelectMany(_ =>
        {
            (var wasRead, isRead) = (isRead, true);
            return wasRead ? messages : throw new InvalidOperationException("It cannot be read.");
        });
    }

    private static WriteMessages Write(string id, IActorRef by, long sequenceNr = 1) =>
        new([new AtomicWrite(new Persistent("event", sequenceNr, id, sender: by, writerGuid: "writer"))], by, 1);

    private static async Task<T> NextAsync<T>(Inbox entity) => Assert.IsType<T>(await entity.ReceiveAsync(TimeSpan.FromSeconds(60)));

    private static async Task RunAsync(SqliteConnection connection, string sql)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        await command.ExecuteNonQueryAsync();
    }
}
