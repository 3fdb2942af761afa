using Akka.Actor;
using Akka.Cluster.Hosting;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Remote.Hosting;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>A projection on two hosts, whose events come from the feed.</summary>
public sealed class HostedFeedTests
{
    [Fact]
    [Trait("Category", "Long")]
    public async Task A_projection_on_the_feed_handles_each_event_once_also_if_the_feeds_node_is_killed()
    {
        await using var journal = await FeedJournal.CreateAsync();
        await journal.AppendAsync(300);
        using var first = await StartAsync(journal, null);
        using var second = await StartAsync(journal, first);
        await HandledAsync(journal, 300);
        await journal.AppendAsync(100);
        await SystemOf(first).Terminate();
        global::Akka.Cluster.Cluster.Get(SystemOf(second)).Down(global::Akka.Cluster.Cluster.Get(SystemOf(first)).SelfAddress);
        await journal.AppendAsync(100);
        await first.StopAsync();
        await HandledAsync(journal, 500);
        await second.StopAsync();
    }

    [Theory]
    [InlineData("a b", "The feed's name is \"a b\"; it may have letters, digits, - and _ only. It is part of an actor's name. (Parameter 'name')")]
    [InlineData("all", "Feed 'all': 'WindowEvents' is 5; it must be from 100 to 1000000. Leave it out for the default.")]
    public void A_wrong_setting_is_refused(string name, string message)
    {
        var builder = new AkkaConfigurationBuilder(new ServiceCollection(), "feed");
        Assert.Equal(message, Assert.ThrowsAny<Exception>(() => builder.WithThrottledFeed(name, feed => feed.WindowEvents = 5)).Message);
    }

    [Fact]
    public void A_source_with_filters_is_refused()
    {
        var builder = new AkkaConfigurationBuilder(new ServiceCollection(), "feed");
        Assert.Equal(
            "Feed 'all': 'Source' is 'prefix:\"order-\" of all'; it must be all events, a tag or slices. Set the filters in the projections that read the feed.",
            Assert.Throws<ConfigurationException>(() => builder.WithThrottledFeed("all", feed => feed.Source = ProjectionSource.All.WithIdPrefix("order-"))).Message);
    }

    [Fact]
    public void Two_feeds_of_one_name_are_refused()
    {
        var builder = new AkkaConfigurationBuilder(new ServiceCollection(), "feed");
        builder.WithThrottledFeed("all");
        Assert.Equal(
            "There is a feed 'all' already. Give this one another name, or leave it out.",
            Assert.Throws<ConfigurationException>(() => builder.WithThrottledFeed("all")).Message);
    }

    private static ActorSystem SystemOf(IHost host) => host.Services.GetRequiredService<ActorSystem>();

    // The table's key refuses a second handling of an event.
    private static async Task HandledAsync(FeedJournal journal, long count)
    {
        await using var connection = new SqliteConnection(journal.ReadModel);
        await connection.OpenAsync();
        await Wait.UntilAsync(
            async () => await connection.ScalarAsync<long>("SELECT COUNT(*) FROM sqlite_master WHERE name = 'handled'") == 1
                && await connection.ScalarAsync<long>("SELECT COUNT(*) FROM handled") == count,
            () => $"{count} events are handled");
    }

    private static async Task<IHost> StartAsync(FeedJournal journal, IHost? joined)
    {
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services
            .AddAkka("feed", akka => akka
                .AddHocon(
                    """
                    akka {
                      loglevel = ERROR
                      stdout-loglevel = OFF
                      cluster { gossip-interval = 100ms, leader-actions-interval = 100ms, run-coordinated-shutdown-when-down = off }
                      coordinated-shutdown { run-by-actor-system-terminate = off, run-by-clr-shutdown-hook = off }
                    }
                    """,
                    HoconAddMode.Prepend)
                .WithRemoting("127.0.0.1", 0)
                .WithClustering()
                .WithThrottledReadJournal(journal.Connection, "SQLite")
                .WithThrottledFeed("events"))
            .AddThrottledFeedReader("events")
            .AddSingleton(_ => ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource(journal.ReadModel)))
            .AddProjection("handled", new Recorder(), projection => projection
                .WithJournal("events")
                .WithOptions(options => options with { Lanes = 4, Decoder = stored => stored, LeaseDuration = TimeSpan.FromSeconds(5) }));
        var host = builder.Build();
        await host.StartAsync();
        var cluster = global::Akka.Cluster.Cluster.Get(SystemOf(host));
        await cluster.JoinAsync(global::Akka.Cluster.Cluster.Get(SystemOf(joined ?? host)).SelfAddress).WithinAsync("the node is Up");
        return host;
    }

    private sealed class Recorder : BatchHandler
    {
        public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            foreach (var each in batch)
            {
                await using var command = batch.Connection.CreateCommand();
                command.Transaction = batch.Transaction;
                command.CommandText = "CREATE TABLE IF NOT EXISTS handled (id TEXT, number INTEGER, PRIMARY KEY (id, number)); INSERT INTO handled VALUES ($id, $number)";
                Add("$id", each.PersistenceId);
                Add("$number", each.SequenceNumber);
                await command.ExecuteNonQueryAsync(cancellationToken);

                void Add(string name, object value)
                {
                    var parameter = command.CreateParameter();
                    (parameter.ParameterName, parameter.Value) = (name, value);
                    command.Parameters.Add(parameter);
                }
            }
        }
    }
}
