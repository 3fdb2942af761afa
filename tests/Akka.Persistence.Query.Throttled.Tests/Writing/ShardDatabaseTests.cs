using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.Sharded;
using Npgsql;
using Throttled.Journal.Database;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>The database of a shard is found in the section of its write plugin. A plugin without such settings is not refused.</summary>
public sealed class ShardDatabaseTests
{
    private const string Sql = "class = \"Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql\"";

    [Theory]
    [InlineData($"{Sql}, connection-string = \"Host=x\", provider-name = PostgreSQL.15")]
    [InlineData($"{Sql}, connection-string = \"Data Source=x.db\", provider-name = SQLite.MS")]
    [InlineData($"{Sql}, connection-string = \"Host=x\", provider-name = PostgreSQL, table-mapping = postgresql")]
    [InlineData("class = \"Akka.Persistence.Sqlite.Journal.SqliteJournal, Akka.Persistence.Sqlite\", connection-string = \"Data Source=x.db\"")]
    [InlineData("class = \"Akka.Persistence.PostgreSql.Journal.PostgreSqlJournal, Akka.Persistence.PostgreSql\", connection-string = \"Host=x\"")]
    [InlineData($"{Sql}, connection-string = \"Server=x\", provider-name = SqlServer.2019")]
    [InlineData($"{Sql}, connection-string = \"Server=x\", provider-name = SqlServer, table-mapping = sqlserver")]
    [InlineData("class = \"Akka.Persistence.SqlServer.Journal.SqlServerJournal, Akka.Persistence.SqlServer\", connection-string = \"Server=x\"")]
    public void The_database_of_a_known_plugin_is_found(string section) => Assert.NotNull(Of(section));

    [Theory]
    [InlineData("class = \"Akka.Persistence.Journal.MemoryJournal, Akka.Persistence\"")]
    [InlineData("class = \"Akka.Persistence.MongoDb.Journal.MongoDbJournal, Akka.Persistence.MongoDb\", connection-string = \"mongodb://x\"")]
    [InlineData("class = \"Akka.Persistence.MySql.Journal.MySqlJournal, Akka.Persistence.MySql\", connection-string = \"Server=x\"")]
    [InlineData($"{Sql}, connection-string = \"Server=x\", provider-name = MySqlConnector")]
    [InlineData($"{Sql}, connection-string = \"Server=x;Application Intent=ReadOnly\", provider-name = SqlServer.2019")]
    [InlineData($"{Sql}, connection-string = \"Database=x\", provider-name = SqlServer.2019")]
    [InlineData($"{Sql}, provider-name = PostgreSQL.15")]
    [InlineData($"{Sql}, connection-string = \"Data Source=memory;Mode=Memory;Cache=Shared\", provider-name = SQLite.MS")]
    [InlineData($"{Sql}, connection-string = \"Data Source=:memory:\", provider-name = SQLite.MS")]
    [InlineData($"{Sql}, connection-string = \"no such setting = 1\", provider-name = SQLite.MS")]
    [InlineData($"{Sql}, connection-string = \"Host=a,b\", provider-name = PostgreSQL.15")]
    [InlineData($"{Sql}, connection-string = \"Host=x\", provider-name = PostgreSQL, table-mapping = mine")]
    public void A_database_that_is_unknown_or_cannot_be_opened_is_not_found(string section) => Assert.Null(Of(section));

    [Theory]
    [InlineData("PostgreSQL.15", true)]
    [InlineData("MySql.8.0", false)]
    public async Task The_database_of_settings_from_code_is_found(string provider, bool isKnown)
    {
        await using var source = NpgsqlDataSource.Create("Host=192.0.2.1");
        InheritedSetting setting = new("provider-name", provider, "DataOptions of shard");
        Assert.Equal(isKnown, Of(Sql, () => new(source, setting)) is not null);
        Assert.Null(Of($"{Sql}, connection-string = \"Host=x\", provider-name = PostgreSQL.15", () => throw new ConfigurationException("They name no database.")));
    }

    [SqlServerFact]
    public async Task An_empty_database_on_SQL_Server_is_marked_and_found_by_its_mark()
    {
        var database = SqlServerJournals.CreateDatabase();
        var open = Of($"{Sql}, connection-string = \"{SqlServerJournals.Hocon(database)}\", provider-name = SqlServer.2019")!;
        var map = ShardMap.Even(2);
        Assert.Null((await ShardProbe.RunAsync(new(map, 1), "shard", open)).Error);
        Assert.Null((await ShardProbe.RunAsync(new(map, 1), "shard", open)).Error);
        Assert.IsType<ShardMarkException>((await ShardProbe.RunAsync(new(map, 0), "shard", open)).Error);
        SqlServerJournals.Drop(database);
    }

    private static Func<JournalAppender>? Of(string section, Func<GivenDatabase?>? given = null) =>
        ShardDatabase.Of(ConfigurationFactory.ParseString($"shard {{ {section} }}"), "shard", given);
}
