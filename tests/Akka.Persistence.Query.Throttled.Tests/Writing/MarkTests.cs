using Akka.Actor;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Journals;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>Only the shard that a database is marked as writes to it.</summary>
public sealed class MarkTests : IDisposable
{
    private readonly ShardedFiles _files = ShardedFiles.OfSql(2);

    [Fact]
    public async Task Each_database_is_marked_before_its_first_event()
    {
        await PersistInBothAsync();
        Assert.Equal("0 0-511,512-1023 | 1 0-511,512-1023", $"{MarkOf(0)} | {MarkOf(1)}");
        // The same configuration finds its own marks.
        await using var again = ShardedKit.On(_files);
        Assert.Null(await again.PersistAsync(_files.IdIn(0), "again"));
        Assert.Null(await again.PersistAsync(_files.IdIn(1), "again"));
        Assert.Empty(await again.LoggedAsync(LogLevel.WarningLevel));
    }

    [Theory]
    [InlineData("slices = [\"0-99\", \"100-1023\"]", "\"0-99,100-1023\"")]
    [InlineData("shards = [shards.s1, shards.s0]", "\"0-511,512-1023\"")]
    public async Task A_journal_whose_configuration_differs_from_its_marks_accepts_no_write(string differs, string configured)
    {
        await PersistInBothAsync();
        await using (var other = ShardedKit.On(_files, $"{WriteShards.Identifier} {{ {differs} }}"))
        {
            for (var i = 0; i < 3; i++)
            {
                var error = await other.PersistAsync($"new-{i * 7919}", "x");
                Assert.Contains($"is configured as shard ", error!.Message, StringComparison.Ordinal);
                Assert.Contains(configured, error.Message, StringComparison.Ordinal);
            }
            var logged = await other.LoggedAsync(LogLevel.ErrorLevel);
            // The log names the section of the shard.
            Assert.All(logged, each => Assert.Matches($"^The sharded write journal '{WriteShards.Identifier}' fails every message: 'shards\\.s[01]': The journal table ", each));
            // One log entry for each database with another mark.
            Assert.InRange(logged.Count, 1, 2);
        }
        Assert.Equal(2, _files.EventsIn(0).Count + _files.EventsIn(1).Count);
    }

    [Fact]
    public async Task A_journal_with_events_and_no_mark_cannot_become_a_shard()
    {
        await using (var alone = ShardedKit.On(_files, "akka.persistence.journal.plugin = shards.s0"))
            Assert.Null(await alone.PersistAsync(_files.IdIn(1), "alone"));
        await using (var sharded = ShardedKit.On(_files))
        {
            // The events are in the other database, so the entity would start from nothing here.
            var error = await sharded.PersistAsync(_files.IdIn(1), "x");
            Assert.Contains("has events but no shard mark", error!.Message, StringComparison.Ordinal);
        }
        Assert.Equal([_files.IdIn(1)], _files.EventsIn(0).Keys);
        Assert.Equal(0L, _files.Run(1, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'journal'"));
    }

    [Fact]
    public async Task Replays_and_deletions_are_refused_too()
    {
        await PersistInBothAsync();
        await using var other = ShardedKit.On(_files, $"{WriteShards.Identifier}.slices = [\"0-99\", \"100-1023\"]");
        Assert.Contains("is configured as", await Refused<ReplayMessagesFailure>(other, to => new ReplayMessages(1, 9, 9, "a", to), each => each.Cause), StringComparison.Ordinal);
        Assert.Contains("is configured as", await Refused<DeleteMessagesFailure>(other, to => new DeleteMessagesTo("a", 9, to), each => each.Cause), StringComparison.Ordinal);
    }

    public void Dispose() => _files.Delete();

    private static async Task<string> Refused<T>(ShardedKit kit, Func<IActorRef, object> message, Func<T, Exception> cause)
    {
        var answer = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        var receiver = kit.System.ActorOf(Props.Create(() => new ReplyReceiver<T>(answer)));
        kit.Journal.Tell(message(receiver));
        return cause(await answer.Task.WithinAsync("an answer")).Message;
    }

    private string MarkOf(int shard) => (string)_files.Run(shard, "SELECT shard || ' ' || slices FROM throttled_shards WHERE journal_table = 'journal'")!;

    private async Task PersistInBothAsync()
    {
        await using var kit = ShardedKit.On(_files);
        Assert.Null(await kit.PersistAsync(_files.IdIn(0), "first"));
        Assert.Null(await kit.PersistAsync(_files.IdIn(1), "first"));
    }

    private sealed class ReplyReceiver<T> : ReceiveActor
    {
        public ReplyReceiver(TaskCompletionSource<T> answer) => Receive<T>(each => answer.TrySetResult(each));
    }
}
