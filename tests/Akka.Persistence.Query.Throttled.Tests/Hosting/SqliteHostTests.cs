using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Microsoft.Extensions.Configuration;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

public sealed class SqliteHostTests
{
    [Fact]
    public async Task A_live_query_delivers_existing_and_new_events()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await journal.AppendAsync("a");
        await using var app = await TestApp.StartAsync(builder => builder.WithThrottledReadJournal(journal.ConnectionString, "SQLite.MS"));
        var first = app.FirstAsync(app.Journal().EventsByTag("red", NoOffset.Instance), 1);
        var both = app.FirstAsync(app.Journal().EventsByTag("red", NoOffset.Instance), 2);
        await first;
        await journal.AppendAsync("b");
        Assert.Equal(["a", "b"], (await both).Select(each => each.PersistenceId));
    }

    [Fact]
    public async Task Journals_side_by_side_are_found_by_interface_and_each_reads_its_own_database()
    {
        await using var one = await TestJournal.InSqliteAsync();
        await using var other = await TestJournal.InSqliteAsync();
        await one.AppendAsync("of-one");
        await other.AppendAsync("of-other");
        await using var app = await TestApp.StartAsync(builder => builder
            .WithThrottledReadJournal(one.ConnectionString, "SQLite")
            .WithThrottledReadJournal(other.ConnectionString, "SQLite", options => options.Identifier = "orders"));
        Assert.Equal("of-one", await IdAsync("throttled"));
        Assert.Equal("of-other", await IdAsync("orders"));
        Assert.Equal("akka.persistence.query.journal.orders", app.Options("orders").Name);

        async Task<string> IdAsync(string identifier)
        {
            var journal = PersistenceQuery.Get(app.System)
                .ReadJournalFor<IEventsByTagQuery>($"akka.persistence.query.journal.{identifier}");
            return (await app.FirstAsync(journal.EventsByTag("red", NoOffset.Instance), 1))[0].PersistenceId;
        }
    }

    [Fact]
    public async Task Options_come_from_a_configuration()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await journal.AppendAsync("a");
        var configuration = new ConfigurationBuilder().AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["ReadJournal:Identifier"] = "reports",
            ["ReadJournal:ConnectionString"] = journal.ConnectionString,
            ["ReadJournal:ProviderName"] = "SQLite",
            ["ReadJournal:RefreshInterval"] = "00:00:00.05",
            ["ReadJournal:MaxConcurrentQueries"] = "7",
            ["ReadJournal:OnGapTimeout"] = "Skip",
            ["ReadJournal:RequireTable"] = "true",
        }).Build();
        await using var app = await TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal(configuration.GetSection("ReadJournal").Get<ThrottledReadJournalOptions>()!));
        var options = app.Options("reports");
        Assert.Equal((7, TimeSpan.FromMilliseconds(50)), (options.MaxConcurrentQueries, options.RefreshInterval));
        Assert.Equal((GapTimeoutAction.Skip, true), (options.OnGapTimeout, options.RequireTable));
        Assert.Equal(500, options.MaxBufferSize);
        Assert.Single(await app.FirstAsync(app.Journal("reports").CurrentAllEvents(NoOffset.Instance), 1));
    }

    [Fact]
    public async Task Options_that_are_not_set_keep_the_configured_values()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await using var app = await TestApp.StartAsync(builder => builder
            .WithThrottledReadJournal(journal.ConnectionString, "SQLite", options => (options.Identifier, options.MaxBufferSize) = ("orders", 20))
            .AddHocon(
                "akka.persistence.query.journal.orders { max-buffer-size = 10, burst = 7, refresh-interval = 1s }",
                HoconAddMode.Append));
        var options = app.Options("orders");
        Assert.Equal("akka.persistence.query.journal.orders", options.Name);
        Assert.Equal((20, 7, TimeSpan.FromSeconds(1)), (options.MaxBufferSize, options.Burst, options.RefreshInterval));
    }
}
