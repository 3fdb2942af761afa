using Akka.Actor;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>A sharded journal that is configured only in code, written and read.</summary>
public abstract class ShardedHostSpec
{
    private static readonly string[] Paths = ["akka.persistence.journal.a", "akka.persistence.journal.b"];

    /// <summary>Configures a write plugin.</summary>
    private protected abstract AkkaConfigurationBuilder Configure(AkkaConfigurationBuilder builder, SqlPlugin plugin);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Events_of_several_write_plugins_are_read_as_one_journal(bool isFirst)
    {
        string[] files = [TestJournal.NewFile(), TestJournal.NewFile()];
        // The slice of an id of one letter is the code of that letter.
        string[] slices = ["0-97", "98-1023"];
        await using (var app = await TestApp.StartAsync(builder =>
        {
            if (isFirst)
                builder.WithThrottledReadJournal().WithShardedJournal(Paths, slices);
            Configure(Configure(builder, Plugin("a", files[0])), Plugin("b", files[1]));
            if (!isFirst)
                builder.WithShardedJournal(Paths, slices).WithThrottledReadJournal();
        }))
        {
            var live = app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 2);
            foreach (var id in (string[])["a", "b"])
                Assert.Equal("done", await app.System.ActorOf(Props.Create(() => new Writer(id))).Ask<string>("done").WithinAsync("an event is written"));
            var events = await live;
            Assert.Equal(["a", "b"], events.Select(each => each.PersistenceId).Order());
            Assert.Equal("0-97:1,98-1023:1", events[1].Offset.ToString());
            Assert.All(app.Journal().Engines, (engine, shard) => Assert.Equal((shard, ShardMap.Parse(string.Join(',', slices))), (engine.Options.Shard!.Shard, engine.Options.Shard.Map)));
        }
        Array.ForEach(files, TestJournal.Delete);
    }

    [Fact]
    public async Task A_wrong_configuration_prevents_the_host_from_starting()
    {
        var error = await Assert.ThrowsAsync<ConfigurationException>(() => TestApp.StartAsync(builder => builder.WithShardedJournal(Paths)));
        Assert.StartsWith("'akka.persistence.journal.sharded-databases.shards' has \"akka.persistence.journal.a\", which is not a section", error.Message, StringComparison.Ordinal);
    }

    private static SqlPlugin Plugin(string identifier, string file) =>
        new($"Data Source={file}", "SQLite.MS") { Identifier = identifier, IsDefault = false };

    private sealed class Writer : ReceivePersistentActor
    {
        public Writer(string id)
        {
            PersistenceId = id;
            Command<string>(text => Persist(text, Sender.Tell));
        }

        public override string PersistenceId { get; }
    }
}
