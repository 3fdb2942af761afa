using Akka.Actor;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Microsoft.Data.SqlClient;
using Npgsql;
using DatabaseKind = Akka.Persistence.Query.Throttled.Settings.DatabaseKind;
using JournalTables = Throttled.Journal.JournalTables;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>With Akka.Persistence.Sql as the write plugin, a read journal needs no settings.</summary>
public abstract class WritePluginSpec
{
    /// <summary>Configures the write plugin.</summary>
    private protected abstract AkkaConfigurationBuilder Configure(AkkaConfigurationBuilder builder, SqlPlugin plugin);

    [Theory]
    [InlineData("TagTable", "default", true)]
    [InlineData("TagTable", "default", false)]
    [InlineData("Csv", "sqlite", true)]
    [InlineData("Csv", "default", false)]
    public async Task Events_of_the_write_plugin_are_read_without_a_setting(string tags, string mapping, bool isFirst)
    {
        var file = TestJournal.NewFile();
        await using (var app = await TestApp.StartAsync(builder =>
        {
            if (isFirst)
                builder.WithThrottledReadJournal();
            Configure(builder, new($"Data Source={file}", "SQLite.MS") { TableMapping = mapping, TagMode = tags, TagsTexts = true });
            if (!isFirst)
                builder.WithThrottledReadJournal();
        }))
        {
            var live = app.FirstAsync(app.Journal().EventsByTag("red", NoOffset.Instance), 2);
            var writer = app.System.ActorOf(Props.Create(() => new Writer("w")));
            Assert.Equal("opened", await writer.Ask<string>("opened").WithinAsync("the first is written"));
            Assert.Equal("closed", await writer.Ask<string>("closed").WithinAsync("the second is written"));
            var events = await live;
            Assert.Equal(["opened", "closed"], events.Select(each => each.Event));
            Assert.All(events, each => Assert.Equal(["red"], each.Tags));
            Assert.Equal(["w"], await app.FirstAsync(app.Journal().CurrentPersistenceIds(), 1));
        }
        TestJournal.Delete(file);
    }

    [Fact]
    public async Task An_option_wins_over_the_write_plugin()
    {
        var file = TestJournal.NewFile();
        await using (var app = await TestApp.StartAsync(builder => Configure(builder, new($"Data Source={file}", "SQLite.MS") { TableMapping = "sqlite" })
            .WithThrottledReadJournal(options => (options.JournalTableName, options.MaxBufferSize) = ("elsewhere", 10))))
        {
            var options = app.Options();
            Assert.Equal(("elsewhere", "sequence_nr", 10), (options.Tables.JournalTable, options.Tables.SequenceNumberColumn, options.MaxBufferSize));
            Assert.Equal($"Data Source={file}", app.Settings().ConnectionString);
        }
        TestJournal.Delete(file);
    }

    [Fact]
    public async Task Beside_a_data_source_the_tables_are_those_of_the_write_plugin()
    {
        await using var source = NpgsqlDataSource.Create("Host=192.0.2.1;Username=reader");
        await using var app = await TestApp.StartAsync(builder => Configure(
            builder.WithThrottledReadJournal(source, options => options.JournalTableName = "view_of_events"),
            new("Host=192.0.2.2", "PostgreSQL.15") { TableMapping = "postgresql", TagMode = "Csv" }));
        Assert.Equal(JournalTables.PostgreSql with { JournalTable = "view_of_events" }, app.Options().Tables);
        Assert.Equal(("", source), (app.Settings().ConnectionString, app.Settings().DataSource));
    }

    [Fact]
    public async Task On_SQL_Server_the_section_of_the_write_plugin_is_enough()
    {
        await using var app = await TestApp.StartAsync(builder =>
            Configure(builder, new("Server=192.0.2.1", "SqlServer.2022") { TableMapping = "sql-server", TagMode = "Csv" }).WithThrottledReadJournal());
        Assert.Equal(JournalTables.SqlServer, app.Options().Tables);
        Assert.Equal((DatabaseKind.SqlServer, "Server=192.0.2.1"), (app.Settings().Database, app.Settings().ConnectionString));
    }

    [Fact]
    public async Task Beside_a_data_source_of_SQL_Server_the_tables_are_those_of_the_write_plugin()
    {
        await using var source = SqlClientFactory.Instance.CreateDataSource("Server=192.0.2.1;User ID=reader");
        await using var app = await TestApp.StartAsync(builder =>
            Configure(builder.WithThrottledReadJournal(source), new("Server=192.0.2.2", "SqlServer.2019") { TableMapping = "sql-server" }));
        Assert.Equal(JournalTables.SqlServer with { TagMode = global::Throttled.Journal.TagMode.TagTable }, app.Options().Tables);
        Assert.Equal((DatabaseKind.SqlServer, source), (app.Settings().Database, app.Settings().DataSource));
    }

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
