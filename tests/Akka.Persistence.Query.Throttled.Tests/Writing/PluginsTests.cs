using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Journals;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>Any write plugin can be a shard, with its own section. If it cannot work, messages to it are refused with the reason.</summary>
public sealed class PluginsTests
{
    private const string Memory = "class = \"Akka.Persistence.Journal.MemoryJournal, Akka.Persistence\"";

    [Fact]
    public async Task Messages_for_a_plugin_of_an_unknown_database_are_forwarded_with_one_warning()
    {
        await using var kit = new ShardedKit(Configured($"a {{ {Memory} }}, b {{ {Memory} }}"));
        foreach (var i in Enumerable.Range(0, 10))
            Assert.Null(await kit.PersistAsync($"id-{i * 7919}", "x"));
        var entity = await ShardedKit.ReportAsync(kit.Entity("id-7919"));
        Assert.Equal(["x"], entity.State);
        Assert.Equal(
            $"The databases of these shards of '{WriteShards.Identifier}' are not known, so the slices stored there cannot be checked: "
            + "journals.a, journals.b. Make sure that 'shards' and 'slices' never change.",
            Assert.Single(await kit.LoggedAsync(LogLevel.WarningLevel)));
    }

    [Theory]
    [InlineData("a { }, b { x = 1 }", "'journals.a.class' is missing; it must be the class of a write plugin, as in ")]
    [InlineData("a { class = \"No.Journal, Nowhere\" }, b { x = 1 }", "'journals.a.class' is \"No.Journal, Nowhere\", which cannot be found; ")]
    [InlineData($"a {{ {Memory} }}", "'akka.persistence.journal.sharded-databases.shards' has \"journals.b\", which is not a section of the configuration. ")]
    public async Task A_wrong_configuration_fails_every_message_and_is_logged_once(string journals, string message)
    {
        await using var kit = new ShardedKit(Configured(journals));
        for (var i = 0; i < 2; i++)
            Assert.StartsWith(message, (await kit.PersistAsync($"id-{i}", "x"))!.Message, StringComparison.Ordinal);
        Assert.StartsWith(
            $"The sharded write journal '{WriteShards.Identifier}' fails every message: {message}", Assert.Single(await kit.LoggedAsync(LogLevel.ErrorLevel)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_plugin_that_stops_fails_the_messages_of_its_ids_at_once()
    {
        // The replay filter has an invalid mode, so its actor cannot be created.
        await using var kit = new ShardedKit(Configured($"a {{ {Memory}\nreplay-filter.mode = none }}, b {{ {Memory} }}"));
        // Messages that are sent before its stop is known are lost, as they would be without shards.
        var heard = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var requester = kit.System.ActorOf(Props.Create(() => new FailureListener(heard)));
        await Wait.UntilAsync(
            () =>
            {
                kit.Journal.Tell(new ReplayMessages(1, 9, 9, IdIn(0), requester));
                return heard.Task.IsCompleted;
            },
            "its end to be known");
        Assert.Equal(
            "Shard 0 (slices 0-511): The write plugin 'journals.a' has stopped. The log says why. Correct its section and restart.",
            (await kit.PersistAsync(IdIn(0), "x"))!.Message);
        Assert.Null(await kit.PersistAsync(IdIn(1), "x"));
    }

    [Fact]
    public async Task Each_shard_adapts_its_events_by_its_own_section()
    {
        var files = ShardedFiles.OfSql(2);
        await using (var kit = ShardedKit.On(files, $"shards.s1 {{ {Tagging.ByColor} }}"))
        {
            Assert.Null(await kit.PersistAsync(files.IdIn(0), "green apple"));
            Assert.Null(await kit.PersistAsync(files.IdIn(1), "green apple"));
        }
        Assert.Equal(0L, files.Run(0, "SELECT COUNT(*) FROM tags"));
        Assert.Equal("green", files.Run(1, "SELECT tag FROM tags WHERE tag = 'green'"));
        files.Delete();
    }

    [Fact]
    public async Task Messages_that_are_not_of_the_journal_protocol_are_unhandled()
    {
        await using var kit = new ShardedKit(Configured($"a {{ {Memory} }}, b {{ {Memory} }}"));
        var heard = new TaskCompletionSource<UnhandledMessage>(TaskCreationOptions.RunContinuationsAsynchronously);
        kit.System.EventStream.Subscribe(kit.System.ActorOf(Props.Create(() => new UnhandledListener(heard))), typeof(UnhandledMessage));
        kit.Journal.Tell("hello");
        Assert.Equal("hello", (await heard.Task.WithinAsync("the message")).Message);
    }

    private static string IdIn(int shard) =>
        Enumerable.Range(0, int.MaxValue).Select(i => $"id-{i * 7919}").First(id => ShardMap.Even(2).ShardOf(id) == shard);

    private static Config Configured(string journals) => ConfigurationFactory.ParseString($$"""
        {{AkkaTimeouts.Hocon}}
        akka.loglevel = INFO
        akka.persistence {
          journal.plugin = "{{WriteShards.Identifier}}"
          journal.sharded-databases {
            class = "Akka.Persistence.Sharded.ShardedWriteJournal, Akka.Persistence.Sharded"
            shards = [journals.a, journals.b]
          }
          snapshot-store.plugin = "akka.persistence.snapshot-store.inmem"
        }
        journals {
          {{journals.Replace("}, ", "}\n", StringComparison.Ordinal)}}
        }
        """);

    private sealed class UnhandledListener : ReceiveActor
    {
        public UnhandledListener(TaskCompletionSource<UnhandledMessage> heard) => Receive<UnhandledMessage>(each => heard.TrySetResult(each));
    }

    private sealed class FailureListener : ReceiveActor
    {
        public FailureListener(TaskCompletionSource heard) => Receive<ReplayMessagesFailure>(_ => heard.TrySetResult());
    }
}
