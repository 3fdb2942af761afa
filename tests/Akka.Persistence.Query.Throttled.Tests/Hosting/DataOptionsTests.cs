using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using LinqToDB;
using LinqToDB.Data;
using LinqToDB.DataProvider.PostgreSQL;
using LinqToDB.DataProvider.SqlServer;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Npgsql;
using ProviderName = LinqToDB.ProviderName;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>The read journal uses linq2db's <c>DataOptions</c>, as Akka.Persistence.Sql does.</summary>
public sealed class DataOptionsTests : DataOptionsSpec
{
    private const string Path = "akka.persistence.query.journal.throttled";

    private protected override AkkaConfigurationBuilder Configure(AkkaConfigurationBuilder builder, DataOptions options, string identifier) =>
        builder.WithSqlPersistence(options, identifier);

    [PostgreSqlFact]
    public async Task Interceptors_of_linq2db_are_called_when_the_reader_connects()
    {
        await using var journal = await TestJournal.InPostgreSqlAsync(SharedServer.Server);
        await journal.AppendAsync("a");
        var opened = 0;
        var options = new DataOptions().UseConnectionString(ProviderName.PostgreSQL15, "Host=192.0.2.1")
            .UseBeforeConnectionOpened(connection => connection.ConnectionString = journal.ConnectionString)
            .UseAfterConnectionOpened(_ => Interlocked.Increment(ref opened));
        await using var app = await TestApp.StartAsync(builder => builder.WithThrottledReadJournal(options));
        Assert.Equal("a", (await app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 1))[0].PersistenceId);
        Assert.True(Volatile.Read(ref opened) > 0);
    }

    [Fact]
    public async Task Each_shard_is_marked_in_the_database_of_its_write_plugin_even_without_a_read_journal()
    {
        string[] files = [TestJournal.NewFile(), TestJournal.NewFile()];
        var elsewhere = TestJournal.NewFile();
        await using (var app = await TestApp.StartAsync(builder => builder
            .WithSqlPersistence(new DataOptions().UseConnectionString(ProviderName.SQLiteMS, $"Data Source={files[0]}"), "a")
            .WithSqlPersistence(
                new DataOptions().UseConnectionString(ProviderName.SQLiteMS, $"Data Source={files[1]}"), "b",
                settings: $"provider-name = SQLite\nconnection-string = \"Data Source={elsewhere}\"")
            .WithShardedJournal(["akka.persistence.journal.a", "akka.persistence.journal.b"], ["0-97", "98-1023"])))
        {
            await app.PersistAsync("a");
            await app.PersistAsync("b");
        }
        Assert.Equal((true, true, false), (HasMark(files[0]), HasMark(files[1]), HasMark(elsewhere)));
        Array.ForEach([.. files, elsewhere], TestJournal.Delete);
    }

    [Fact]
    public async Task Beside_DataOptions_the_tables_are_those_of_the_write_plugin()
    {
        await using var app = await TestApp.StartAsync(builder => builder
            .WithSqlPersistence(
                new DataOptions().UseConnectionString(ProviderName.PostgreSQL15, "Host=192.0.2.1"),
                settings: "table-mapping = postgresql\ntag-write-mode = Csv\npostgresql.journal.table-name = events\nconnection-string = \"Host=192.0.2.9\"")
            .WithThrottledReadJournal());
        Assert.Equal(JournalTables.PostgreSql with { JournalTable = "events" }, app.Options().Tables);
        Assert.Equal(("Host=192.0.2.1", "DataOptions of akka.persistence.journal.sql"), (app.Settings().ConnectionString, app.Settings().ConnectionSetting));
    }

    [Fact]
    public async Task Settings_of_the_read_journal_win_over_DataOptions_of_the_write_plugin()
    {
        await using var app = await TestApp.StartAsync(builder => builder
            .WithSqlPersistence(new DataOptions().UseConnectionString(ProviderName.MySql, "Server=192.0.2.1"))
            .WithThrottledReadJournal("Host=192.0.2.2", "PostgreSQL")
            .WithThrottledReadJournal(
                new DataOptions().UseConnectionString(ProviderName.PostgreSQL, "Host=192.0.2.3"),
                options => (options.Identifier, options.ConnectionString) = ("reports", "Host=192.0.2.4")));
        Assert.Equal(("Host=192.0.2.2", "Host=192.0.2.3"), (app.Settings().ConnectionString, app.Settings("reports").ConnectionString));
    }

    [Theory]
    [InlineData("akka.persistence.journal.sql", "mine", "plugin-id = mine")]
    [InlineData("akka.persistence.journal.own", "akka.persistence.journal.sql", "")]
    public async Task DataOptions_are_found_by_the_plugin_id_of_the_write_plugin(string path, string id, string settings)
    {
        var setup = new Akka.Persistence.Sql.Config.MultiDataOptionsSetup();
        setup.AddDataOptions(id, new DataOptions().UseConnectionString(ProviderName.PostgreSQL15, "Host=192.0.2.1"));
        await using var app = await TestApp.StartAsync(builder => builder.AddSetup(setup)
            .AddHocon(
                $"akka.persistence.journal.plugin = {path}\n{path} {{\nclass = \"Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql\"\n{settings}\n}}",
                HoconAddMode.Prepend)
            .WithThrottledReadJournal());
        Assert.Equal("Host=192.0.2.1", app.Settings().ConnectionString);
    }

    public static TheoryData<string, DataOptions, string, string> ByText() => new()
    {
        { "a provider's name", new DataOptions().UseConnectionString(ProviderName.PostgreSQL, "Host=a"), "PostgreSql", "Host=a" },
        { "a provider", new DataOptions().UsePostgreSQL("Host=a", PostgreSQLVersion.v15), "PostgreSql", "Host=a" },
        { "a provider without a version", new DataOptions().UsePostgreSQL("Host=a").UseProvider(ProviderName.PostgreSQL), "PostgreSql", "Host=a" },
        { "SQLite", new DataOptions().UseSQLite("Data Source=a.db"), "Sqlite", "Data Source=a.db" },
        {
            "a factory on SQLite",
            new DataOptions().UseProvider(ProviderName.SQLiteMS).UseConnectionFactory(_ => new SqliteConnection("Data Source=a.db")), "Sqlite", "Data Source=a.db"
        },
        { "SQL Server", new DataOptions().UseSqlServer("Server=a", SqlServerVersion.v2019, SqlServerProvider.MicrosoftDataSqlClient), "SqlServer", "Server=a" },
        { "a configuration", new DataOptions().UseConfiguration(nameof(DataOptionsTests)).UseProvider(ProviderName.PostgreSQL15), "PostgreSql", "Host=configured" },
    };

    [Theory]
    [MemberData(nameof(ByText))]
    public async Task Provider_and_connection_string_are_read_from_every_form_of_DataOptions(string how, DataOptions options, string kind, string text)
    {
        DataConnection.AddConfiguration(nameof(DataOptionsTests), "Host=configured", PostgreSQLTools.GetDataProvider(PostgreSQLVersion.v15));
        await using var app = await TestApp.StartAsync(builder => builder.WithThrottledReadJournal(options));
        Assert.True((kind, text) == (app.Settings().Database.ToString(), app.Settings().ConnectionString), how);
    }

    [Fact]
    public async Task A_factory_of_SQL_Server_connections_becomes_a_data_source()
    {
        var options = new DataOptions().UseProvider(ProviderName.SqlServer2022).UseConnectionFactory(_ => new SqlConnection("Server=192.0.2.1;User ID=reader"));
        await using var app = await TestApp.StartAsync(builder => builder.WithThrottledReadJournal(options));
        Assert.Equal((DatabaseKind.SqlServer, "Server=192.0.2.1;User ID=reader"), (app.Settings().Database, app.Settings().DataSource?.ConnectionString));
        Assert.Equal(Path, app.Options().Name);
    }

    private static bool HasMark(string file)
    {
        using var connection = new SqliteConnection($"Data Source={file};Pooling=False");
        connection.Open();
        using var command = connection.CreateCommand();
        command.CommandText = "SELECT count(*) FROM sqlite_master WHERE name = 'throttled_shards'";
        return (long)command.ExecuteScalar()! > 0;
    }
}
