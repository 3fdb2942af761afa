using Akka.Actor;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.Sharded;
using Akka.TestKit;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>Persistent actors see no difference between a sharded journal and one database, and each event is in the database of its slice.</summary>
public sealed class EntitiesTests(ITestOutputHelper output)
{
    [Fact]
    public Task Entities_with_random_commands_match_their_models() => RandomEntities.RunAsync(ShardedFiles.OfSql(4), 40, defersAlone: false, output);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_thousand_entities_with_random_commands_match_their_models() =>
        RandomEntities.RunAsync(ShardedFiles.OfSql(4), LongShare.Of(1000), defersAlone: false, output);

    [Fact]
    public async Task An_entity_starts_from_its_snapshot_and_the_later_events()
    {
        var files = ShardedFiles.OfSql(2);
        await using (var kit = ShardedKit.On(files))
        {
            var entity = kit.Entity("a");
            entity.Tell(Persist("1", "2"));
            await ShardedKit.ReportAsync(entity, 2);
            await entity.Ask<Done>(new Entity.TakeSnapshot(), TimeSpan.FromSeconds(60));
            await entity.Ask<Done>(new Entity.DeleteTo(2), TimeSpan.FromSeconds(60));
            entity.Tell(Persist("3"));
            await ShardedKit.ReportAsync(entity, 3);
            await ShardedKit.StopAsync(entity);

            var again = await ShardedKit.ReportAsync(kit.Entity("a"));
            Assert.Equal(["1", "2", "3"], again.State);
            Assert.Equal(3, again.LastSequenceNr);
        }
        files.Delete();
    }

    [Fact]
    public async Task An_entity_without_events_recovers_and_defers_on_any_shard()
    {
        var files = ShardedFiles.OfSql(2);
        await using (var kit = ShardedKit.On(files))
        {
            for (var shard = 0; shard < 2; shard++)
            {
                var entity = kit.Entity(files.IdIn(shard));
                entity.Tell(new[] { new Entity.Step(Entity.StepKind.Defer, "x") });
                Assert.Equal(["x"], (await ShardedKit.ReportAsync(entity, 1)).Handled);
            }
        }
        files.Delete();
    }

    [Fact]
    public async Task An_entity_that_has_ended_is_forgotten()
    {
        var files = ShardedFiles.OfSql(2);
        var kit = new RouterKit(files.Config);
        for (var round = 1; round <= 2; round++)
        {
            var entities = Enumerable.Range(0, 20).Select(i => kit.Sys.ActorOf(DirectWriter.Props(kit.Router, $"e-{i}"))).ToList();
            foreach (var entity in entities)
                await entity.Ask<WriteMessagesSuccessful>((long)round, TimeSpan.FromSeconds(60));
            Assert.Equal(20, kit.Router.UnderlyingActor.Remembered);
            foreach (var entity in entities)
                await ShardedKit.StopAsync(entity);
            await Wait.UntilAsync(() => kit.Router.UnderlyingActor.Remembered == 0, "all to be forgotten");
        }
        await kit.Sys.Terminate();
        files.Delete();
    }

    private static Entity.Step[] Persist(params string[] texts) => [new Entity.Step(Entity.StepKind.PersistAll, texts)];

    /// <summary>A sharded journal whose state the test can read.</summary>
    private sealed class RouterKit : Akka.TestKit.Xunit2.TestKit
    {
        internal RouterKit(Akka.Configuration.Config config)
            : base(config) => Router = ActorOfAsTestActorRef<ShardedWriteJournal>(Props.Create<ShardedWriteJournal>(), WriteShards.Identifier);

        internal TestActorRef<ShardedWriteJournal> Router { get; }
    }

    /// <summary>Sends a write for an event directly to the journal, and forwards the answer.</summary>
    private sealed class DirectWriter : ReceiveActor
    {
        private IActorRef _requester = ActorRefs.Nobody;

        public DirectWriter(IActorRef journal, string id)
        {
            Receive<long>(number =>
            {
                _requester = Sender;
                journal.Tell(new WriteMessages([new AtomicWrite(new Persistent("e", number, id))], Self, 1));
            });
            Receive<WriteMessagesSuccessful>(done => _requester.Tell(done));
            ReceiveAny(_ => { });
        }

        internal static Props Props(IActorRef journal, string id) => Akka.Actor.Props.Create(() => new DirectWriter(journal, id));
    }
}
