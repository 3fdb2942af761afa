using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using LinqToDB;
using LinqToDB.DataProvider.PostgreSQL;
using Npgsql;
using ProviderName = LinqToDB.ProviderName;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>The <c>DataOptions</c> of linq2db name the database of the journal, as for Akka.Persistence.Sql.</summary>
public abstract class DataOptionsSpec
{
    /// <summary>Configures the write plugin; with the identifier <c>sql</c> it is the default one.</summary>
    private protected abstract AkkaConfigurationBuilder Configure(AkkaConfigurationBuilder builder, DataOptions options, string identifier = "sql");

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Events_of_a_write_plugin_with_DataOptions_are_read_without_a_setting(bool isFirst)
    {
        var file = TestJournal.NewFile();
        await using (var app = await TestApp.StartAsync(builder =>
        {
            if (isFirst)
                builder.WithThrottledReadJournal();
            Configure(builder, new DataOptions().UseConnectionString(ProviderName.SQLiteMS, $"Data Source={file}"));
            if (!isFirst)
                builder.WithThrottledReadJournal();
        }))
        {
            await app.PersistAsync("w");
            Assert.Equal("w", (await app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 1))[0].PersistenceId);
        }
        TestJournal.Delete(file);
    }

    [PostgreSqlFact]
    public async Task Connections_come_from_the_factory_of_the_write_plugin()
    {
        var text = SharedServer.Server.CreateDatabase();
        await using var source = NpgsqlDataSource.Create(text);
        var options = new DataOptions()
            .UseConnectionFactory(PostgreSQLTools.GetDataProvider(PostgreSQLVersion.v15), _ => source.CreateConnection()).UseProvider(ProviderName.PostgreSQL15);
        await using var app = await TestApp.StartAsync(builder => Configure(builder, options).WithThrottledReadJournal());
        await app.PersistAsync("w");
        Assert.Equal("w", (await app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 1))[0].PersistenceId);
        Assert.Equal((DatabaseKind.PostgreSql, source.ConnectionString), (app.Settings().Database, app.Settings().DataSource?.ConnectionString));
    }

    [Fact]
    public async Task Each_shard_is_read_from_the_database_of_its_write_plugin()
    {
        string[] files = [TestJournal.NewFile(), TestJournal.NewFile()];
        await using (var app = await TestApp.StartAsync(builder =>
            Configure(
                Configure(builder, new DataOptions().UseConnectionString(ProviderName.SQLiteMS, $"Data Source={files[0]}"), "a"),
                new DataOptions().UseConnectionString(ProviderName.SQLiteMS, $"Data Source={files[1]}"),
                "b")
            .WithShardedJournal(["akka.persistence.journal.a", "akka.persistence.journal.b"], ["0-97", "98-1023"])
            .WithThrottledReadJournal()))
        {
            // The slice of an id of one letter is the code of that letter.
            await app.PersistAsync("a");
            await app.PersistAsync("b");
            var events = await app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 2);
            Assert.Equal(["a", "b"], events.Select(each => each.PersistenceId).Order());
            Assert.Equal("0-97:1,98-1023:1", events[1].Offset.ToString());
        }
        Array.ForEach(files, TestJournal.Delete);
    }
}
