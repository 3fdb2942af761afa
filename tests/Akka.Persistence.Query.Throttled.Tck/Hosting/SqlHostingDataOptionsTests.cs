using Akka.Hosting;
using Akka.Persistence.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Akka.Persistence.Sql.Config;
using Akka.Persistence.Sql.Hosting;
using LinqToDB;
using JournalTables = Throttled.Journal.JournalTables;
using TagMode = Akka.Persistence.Sql.Config.TagMode;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>A read journal beside <c>WithSqlPersistence(dataOptions)</c>.</summary>
public sealed class SqlHostingDataOptionsTests : DataOptionsSpec
{
    [Fact]
    public async Task Beside_DataOptions_the_tables_are_those_of_the_parameters()
    {
        await using var app = await TestApp.StartAsync(builder => builder
            .WithSqlPersistence(
                new DataOptions().UseConnectionString(ProviderName.PostgreSQL15, "Host=192.0.2.1"),
                PersistenceMode.Journal,
                schemaName: "mine",
                autoInitialize: false,
                databaseMapping: DatabaseMapping.PostgreSql,
                tagStorageMode: TagMode.Csv)
            .WithThrottledReadJournal());
        Assert.Equal(JournalTables.PostgreSql with { Schema = "mine" }, app.Options().Tables);
        Assert.Equal(("Host=192.0.2.1", "DataOptions of akka.persistence.journal.sql"), (app.Settings().ConnectionString, app.Settings().ConnectionSetting));
    }

    [Fact]
    public async Task Journal_options_with_DataOptions_are_read_like_parameters()
    {
        await using var app = await TestApp.StartAsync(builder => builder
            .WithSqlPersistence(journalOptions: new Sql.Hosting.SqlJournalOptions
            {
                DataOptions = new DataOptions().UseConnectionString(ProviderName.SqlServer2022, "Server=192.0.2.1"),
                AutoInitialize = false,
            })
            .WithThrottledReadJournal());
        Assert.Equal(("SqlServer", "Server=192.0.2.1"), (app.Settings().Database.ToString(), app.Settings().ConnectionString));
    }

    // By its full name, because the stand-in of the tests has the same name.
    private protected override AkkaConfigurationBuilder Configure(AkkaConfigurationBuilder builder, DataOptions options, string identifier) =>
        Sql.Hosting.HostingExtensions.WithSqlPersistence(builder, options, pluginIdentifier: identifier, isDefaultPlugin: identifier == "sql");
}
