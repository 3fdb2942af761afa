using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Cluster.Hosting;
using Akka.Cluster.Sharding;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Remote.Hosting;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>Events of the feed that are sent to sharded entities.</summary>
public sealed class EntityTests
{
    private const int Most = 3;

    // The first event of some entities fails: without a reply, or with a reply that says so.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Entities_get_their_events_in_order_and_again_if_they_do_not_acknowledge_them(bool replies)
    {
        await using var journal = await FeedJournal.CreateAsync();
        await journal.AppendAsync(200);
        var seen = new Seen(replies);
        var timeout = replies ? TimeSpan.FromMinutes(10) : TimeSpan.FromMilliseconds(500);
        using var host = await StartAsync(journal, id => Props.Create(() => new Account(id, seen)), lanes: 2, timeout);
        await Wait.UntilAsync(() => seen.Ids == 20 && seen.AreComplete(10), () => $"every entity has ten events; there are {seen.Ids} entities");
        await journal.AppendAsync(20);
        await Wait.UntilAsync(() => seen.AreComplete(11), "the new events arrive");
        // The first event of each entity was not acknowledged at first.
        Assert.True(seen.Repeated >= 1);
        await host.StopAsync();
    }

    [Fact]
    public async Task At_most_the_configured_number_of_events_wait_for_their_acknowledgements()
    {
        await using var journal = await FeedJournal.CreateAsync();
        await journal.AppendAsync(60);
        var unacknowledged = new Unacknowledged();
        using var host = await StartAsync(journal, _ => Props.Create(() => new Waiting(unacknowledged)), lanes: 1, TimeSpan.FromMinutes(10));
        await Wait.UntilAsync(() => unacknowledged.Count == Most, () => $"{Most} events wait; there are {unacknowledged.Count}");
        for (var left = 60; left > 0; left--)
        {
            await Wait.UntilAsync(() => unacknowledged.Count > 0, () => $"the last {left} events arrive");
            unacknowledged.AcknowledgeOldest();
        }
        Assert.Equal(Most, unacknowledged.MostAtOnce);
        await host.StopAsync();
    }

    [Theory]
    [InlineData(0, 10, "'MaxUnacknowledged' is 0; it must be from 1 to 100000. Leave it out for 100.")]
    [InlineData(1, 0, "'AckTimeout' is 00:00:00; it must be from 100 ms to 1 h. Leave it out for 10 s.")]
    public void A_wrong_option_is_refused(int most, int seconds, string message) => Assert.Equal(
        message,
        Assert.Throws<ArgumentException>(() => new ServiceCollection().AddThrottledFeedToEntities<Account>(
            "accounts", "all", options => (options.MaxUnacknowledged, options.AckTimeout) = (most, TimeSpan.FromSeconds(seconds)))).Message);

    private static async Task<IHost> StartAsync(FeedJournal journal, Func<string, Props> entity, int lanes, TimeSpan timeout)
    {
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services
            .AddAkka("feed", akka => akka
                .AddHocon(
                    """
                    akka {
                      loglevel = ERROR
                      stdout-loglevel = OFF
                      cluster { gossip-interval = 100ms, leader-actions-interval = 100ms, sharding.distributed-data.durable.keys = [] }
                    }
                    """,
                    HoconAddMode.Prepend)
                .WithRemoting("127.0.0.1", 0)
                .WithClustering()
                .WithThrottledReadJournal(journal.Connection, "SQLite")
                .WithThrottledFeed("events")
                .WithShardRegion<Account>("accounts", (_, _, _) => entity, new ById(), new ShardOptions()))
            .AddThrottledFeedReader("events")
            .AddSingleton(_ => ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource(journal.ReadModel)))
            .AddThrottledFeedToEntities<Account>(
                "accounts",
                "events",
                options =>
                {
                    options.Message = each => new Numbered(each.PersistenceId, each.SequenceNumber);
                    (options.MaxUnacknowledged, options.AckTimeout) = (Most, timeout);
                },
                projection => projection.WithOptions(options => options with { Lanes = lanes, MaxAttempts = 1_000, Decoder = stored => stored }));
        var host = builder.Build();
        await host.StartAsync();
        var cluster = global::Akka.Cluster.Cluster.Get(host.Services.GetRequiredService<ActorSystem>());
        await cluster.JoinAsync(cluster.SelfAddress).WithinAsync("the node is Up");
        return host;
    }

    private sealed record Numbered(string Id, long Number);

    private sealed class ById() : HashCodeMessageExtractor(10)
    {
        public override string? EntityId(object message) => (message as Numbered)?.Id;
    }

    /// <summary>What the entities have seen. Each entity keeps silent once.</summary>
    private sealed class Seen(bool replies)
    {
        private readonly ConcurrentDictionary<string, long> _numbers = [];
        private readonly ConcurrentDictionary<string, bool> _silent = [];
        private int _repeated;

        internal bool Replies => replies;

        internal int Ids => _numbers.Count;

        internal int Repeated => _repeated;

        internal bool AreComplete(long number) => _numbers.Values.All(last => last >= number);

        /// <returns>Whether the entity acknowledges the event.</returns>
        internal bool Add(string id, long number)
        {
            var last = _numbers.GetValueOrDefault(id);
            Assert.True(number <= last + 1, $"{id}: {number} after {last}");
            if (number > last)
                _numbers[id] = number;
            else
                Interlocked.Increment(ref _repeated);
            return !(id.EndsWith('7') && _silent.TryAdd(id, true));
        }
    }

    private sealed class Account : ReceiveActor
    {
        public Account(string id, Seen seen) => Receive<Numbered>(each =>
        {
            if (each.Id == id && seen.Add(id, each.Number))
                Sender.Tell(each.Number);
            else if (seen.Replies)
                Sender.Tell(new Status.Failure(new InvalidOperationException("refused once")));
        });
    }

    /// <summary>The events that no entity has acknowledged yet.</summary>
    private sealed class Unacknowledged
    {
        private readonly Lock _gate = new();
        private readonly Queue<(IActorRef Sender, long Number)> _events = [];

        internal int MostAtOnce { get; private set; }

        internal int Count
        {
            get
            {
                lock (_gate)
                    return _events.Count;
            }
        }

        internal void Add(IActorRef sender, long number)
        {
            lock (_gate)
            {
                _events.Enqueue((sender, number));
                MostAtOnce = Math.Max(MostAtOnce, _events.Count);
            }
        }

        internal void AcknowledgeOldest()
        {
            lock (_gate)
            {
                var (sender, number) = _events.Dequeue();
                sender.Tell(number);
            }
        }
    }

    private sealed class Waiting : ReceiveActor
    {
        public Waiting(Unacknowledged events) => Receive<Numbered>(each => events.Add(Sender, each.Number));
    }
}
