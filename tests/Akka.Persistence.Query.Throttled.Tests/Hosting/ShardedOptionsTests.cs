using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>The options and the builder of a sharded write journal.</summary>
public sealed class ShardedOptionsTests
{
    private static readonly string[] Paths = ["akka.persistence.journal.a", "akka.persistence.journal.b"];

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_sharded_journal_has_the_given_id_and_need_not_be_the_default_journal(bool isDefault)
    {
        await using var app = await TestApp.StartAsync(builder => Plugins(builder)
            .WithShardedJournal(new ShardedJournalOptions(isDefault, "orders") { Shards = Paths, Slices = ["0-97", "98-1023"] })
            .WithThrottledReadJournal(options => options.WritePlugin = isDefault ? null : "akka.persistence.journal.orders"));
        Assert.Equal(isDefault ? "akka.persistence.journal.orders" : null, app.System.Settings.Config.GetString("akka.persistence.journal.plugin"));
        Assert.Equal("0-97,98-1023", app.Journal().Engines[1].Options.Shard!.Map.ToString());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Event_adapters_of_the_sharded_journal_adapt_the_events_of_every_shard(bool isFirst)
    {
        string[] files = [TestJournal.NewFile(), TestJournal.NewFile()];
        await using (var app = await TestApp.StartAsync(builder =>
        {
            if (!isFirst)
                Plugins(builder, files);
            builder.WithShardedJournal(Paths, ["0-97", "98-1023"], journal => journal.AddWriteEventAdapter<RedTagger>("red", [typeof(string)]));
            if (isFirst)
                Plugins(builder, files);
            builder.WithThrottledReadJournal();
        }))
        {
            await app.PersistAsync("a");
            await app.PersistAsync("b");
            var tagged = await app.FirstAsync(app.Journal().EventsByTag("red", NoOffset.Instance), 2);
            Assert.Equal(["a", "b"], tagged.Select(each => each.PersistenceId).Order());
        }
        Array.ForEach(files, TestJournal.Delete);
    }

    [Fact]
    public async Task The_health_check_of_a_sharded_journal_is_one_of_the_write_journal()
    {
        HealthCheckServiceOptions? registered = null;
        await using var app = await TestApp.StartAsync(
            builder => Plugins(builder).WithShardedJournal(Paths, journalBuilder: journal => journal.WithHealthCheck(tags: ["ready"])),
            health => health.Services.PostConfigure<HealthCheckServiceOptions>(options => registered = options));
        _ = app.Services.GetRequiredService<IOptions<HealthCheckServiceOptions>>().Value;
        var check = Assert.Single(registered!.Registrations);
        Assert.Equal("akka.persistence.journal.sharded-databases", check.Name);
        Assert.Contains("ready", check.Tags);
    }

    [Fact]
    public void An_identifier_is_a_plain_key()
    {
        var builder = new AkkaConfigurationBuilder(new ServiceCollection(), "app");
        var error = Assert.Throws<ConfigurationException>(
            () => builder.WithShardedJournal(new ShardedJournalOptions(true, "my.orders") { Shards = Paths }));
        Assert.StartsWith("'Identifier' is \"my.orders\"; it must be a name", error.Message, StringComparison.Ordinal);
        Assert.Contains("'akka.persistence.journal.…'", error.Message, StringComparison.Ordinal);
    }

    private static AkkaConfigurationBuilder Plugins(AkkaConfigurationBuilder builder, params IReadOnlyList<string> files)
    {
        for (var shard = 0; shard < Paths.Length; shard++)
        {
            var file = files.Count > 0 ? files[shard] : $"{shard}.db";
            new SqlPlugin($"Data Source={file}", "SQLite.MS") { Identifier = Paths[shard].Split('.')[^1], IsDefault = false }.ConfigureByHocon(builder);
        }
        return builder;
    }
}
