using System.Data.Common;
using Akka.Persistence.Query.Throttled.Settings;
using Npgsql;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>The databases of a sharded journal are those of the write plugin, or those that the read journal lists, and always all of them.</summary>
public sealed class ReadShardsTests
{
    private const string Section = ThrottledReadJournal.Identifier;
    private const string Writer = WriteShards.Identifier;
    private const string Class = "class = \"Akka.Persistence.Query.Throttled.ThrottledReadJournalProvider, Akka.Persistence.Query.Throttled\"";
    private const string Listed = "shards = [\"Data Source=a.db\", \"Data Source=b.db\"], provider-name = SQLite";
    private const string Elsewhere = $"give a database for each of its shards, or name in '{Section}.write-plugin' the plugin that writes this journal.";

    private const string Written = $$"""
        journals {
          a { class = "A, Akka.Persistence.Sql", connection-string = "Data Source=written-a.db", provider-name = SQLite, tag-write-mode = Csv, serializer = bytes }
          b { class = "B, Akka.Persistence.PostgreSql", connection-string = "Host=b", table-name = moved, stored-as = json }
        }
        akka.persistence.journal.plugin = {{Writer}}
        {{Writer}} { shards = [journals.a, journals.b], slices = ["0-99", "100-1023"] }
        """;

    [Fact]
    public void Beside_a_sharded_write_journal_each_shard_has_the_settings_of_its_write_plugin()
    {
        var shards = Read(Written, "max-buffer-size = 7");
        Assert.Equal(["Data Source=written-a.db", "Host=b"], shards.Select(each => each.ConnectionString));
        Assert.Equal(["journals.a.connection-string", "journals.b.connection-string"], shards.Select(each => each.ConnectionSetting));
        Assert.Equal([DatabaseKind.Sqlite, DatabaseKind.PostgreSql], shards.Select(each => each.Database));
        Assert.Equal(["journals.a", "journals.b"], shards.Select(each => each.WritePlugin));
        Assert.Equal([JournalTables.Default with { WriterUuidColumn = null, TagMode = TagMode.Csv }, JournalTables.PostgreSql with { JournalTable = "moved" }], shards.Select(each => each.Options.Tables));
        Assert.Equal(["bytes", null], shards.Select(each => each.Serializer));
        Assert.Equal([false, true], shards.Select(each => each.IsStoredAsJson));
        AssertPlaces(shards, "0-99,100-1023");
        Assert.All(shards, each => Assert.Equal((Section, 7), (each.Options.Name, each.Options.MaxBufferSize)));
    }

    [Fact]
    public void Beside_a_write_journal_of_one_shard_the_journal_is_one_database()
    {
        var shard = Assert.Single(Read($"{Written}\n{Writer} {{ shards = [journals.a], slices = [0-1023] }}", ""));
        Assert.Equal(("Data Source=written-a.db", 1), (shard.ConnectionString, shard.Options.Shard!.Map.Count));
    }

    [Theory]
    [InlineData("", Listed, "0-511,512-1023")]
    [InlineData("", Listed + ", slices = [\"0-9\", \"10-1023\"]", "0-9,10-1023")]
    // The replicas of the journal.
    [InlineData(Written, Listed, "0-99,100-1023")]
    [InlineData(Written, Listed + ", slices = [\"0-99\", \"100-1023\"]", "0-99,100-1023")]
    [InlineData("", "shards = [\"Data Source=a.db\"], provider-name = SQLite", "0-1023")]
    public void Listed_databases_share_the_table_settings(string write, string section, string slices)
    {
        var shards = Read(write, $"{section}, table-mapping = sqlite, default.journal.table-name = x");
        Assert.Equal("Data Source=a.db", shards[0].ConnectionString);
        Assert.Equal($"{Section}.shards[{shards.Count - 1}]", shards[^1].ConnectionSetting);
        Assert.All(shards, each => Assert.Equal(JournalTables.Sqlite with { TagMode = TagMode.TagTable }, each.Options.Tables));
        Assert.Equal(write.Length == 0 ? null : "journals.a", shards[0].WritePlugin);
        AssertPlaces(shards, slices);
    }

    [Theory]
    [InlineData("shards = []")]
    [InlineData("shards = [], slices = []")]
    public void An_empty_list_of_shards_is_ignored(string section)
    {
        var settings = Assert.Single(Read("", $"{section}, connection-string = \"Data Source=a.db\", provider-name = SQLite"));
        Assert.Null(settings.Options.Shard);
    }

    [Theory]
    [InlineData(
        Written, "connection-string = \"Data Source=a.db\", provider-name = SQLite",
        $"'{Section}.connection-string' names 1 database, but the write plugin '{Writer}' has 2 shards, \"0-99,100-1023\": events would be missing. Leave that out to read the write plugin's databases, {Elsewhere}")]
    [InlineData(
        Written, "shards = [\"Data Source=a.db\"], provider-name = SQLite",
        $"'{Section}.shards' lists 1 database, but the write plugin '{Writer}' has 2 shards, \"0-99,100-1023\": events would be missing. Leave that out to read the write plugin's databases, {Elsewhere}")]
    [InlineData(
        Written, Listed + ", slices = [\"0-511\", \"512-1023\"]",
        $"'{Section}.slices' divides the journal as \"0-511,512-1023\", but the write plugin '{Writer}' has 2 shards, \"0-99,100-1023\": events would be missing. Leave 'slices' out, or name in '{Section}.write-plugin' the plugin that writes this journal.")]
    [InlineData(
        "", Listed + ", connection-string = \"Data Source=a.db\"",
        $"'{Section}.connection-string' is set, but '{Section}.shards' lists the databases of all shards; it must be empty then. Leave it out.")]
    [InlineData(
        "", Listed + ", slices = [\"0-1023\"]",
        $"'{Section}.shards' lists 2 databases, and '{Section}.slices' has 1 range; there must be one range for each. Leave 'slices' out to divide them evenly.")]
    [InlineData(
        "", "connection-string = \"Data Source=a.db\", provider-name = SQLite, slices = [\"0-511\", \"512-1023\"]",
        $"'{Section}.connection-string' names 1 database, and '{Section}.slices' has 2 ranges; there must be one range for each. Leave 'slices' out to divide them evenly.")]
    [InlineData(
        "", Listed + ", slices = [\"0-511\", \"513-1023\"]",
        $"'{Section}.slices': The slices of the shards are \"0-511,513-1023\": slice 512 is in no shard. Each slice from 0 to 1023 must be in exactly one.")]
    [InlineData(
        "", "shards = \"Data Source=a.db\", provider-name = SQLite",
        $"'{Section}.shards' is \"Data Source=a.db\"; it must be a list of connection strings, one for each shard. Leave it out to read where the write plugin writes.")]
    [InlineData(
        "", "shards = [\"Data Source=a.db\", \"Data Source=b.db\", \"Data Source=a.db\"], provider-name = SQLite",
        $"'{Section}.shards[2]' names the database of an earlier shard; each shard must have its own. Correct it, or leave it out.")]
    [InlineData(
        $"{Written}\njournals.b.class = \"Mine.Journal, Mine\"", "",
        $"'{Section}.shards' is empty, and for the shards of '{Writer}', the tables of the write plugin 'journals.b' are not known. List the connection strings of all shards there, and set 'provider-name' too.")]
    [InlineData(
        $"{Written}\njournals.b.connection-string = \"\"", "",
        $"'{Section}.shards' is empty, and for the shards of '{Writer}', 'journals.b.connection-string' is empty too. List the connection strings of all shards there, and set 'provider-name' too.")]
    [InlineData($"{Written}\n{Writer}.shards = [journals.a, journals.c]", "", $"'{Writer}.shards' has \"journals.c\", which is not a section of the configuration. Configure a write plugin there, or correct the path.")]
    public void A_configuration_that_would_read_only_a_part_of_the_journal_is_refused(string write, string section, string message)
    {
        using var system = new ConfiguredSystem($"{write}\n{Section} {{ {Class}, {section} }}");
        Assert.Equal(message, system.Refusal().Message);
    }

    [Fact]
    public void A_bad_connection_string_in_a_list_is_named_by_its_index_and_not_shown()
    {
        using var system = new ConfiguredSystem($"{Section} {{ {Class}, provider-name = PostgreSQL, shards = [\"Host=a\", \"Database=x;Password=hunter2\"] }}");
        var refusal = system.Refusal();
        Assert.StartsWith($"'{Section}.shards[1]': The connection string has no 'Host'; it must name the server.", refusal.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter2", refusal.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Data_sources_from_code_are_one_for_each_shard()
    {
        await using var a = NpgsqlDataSource.Create("Host=192.0.2.1;Username=reader");
        await using var b = NpgsqlDataSource.Create("Host=192.0.2.2;Username=reader");
        var shards = Read(
            $"{Written}\njournals.a.provider-name = PostgreSQL", "connection-string = \"Nonsense=1\"", new ThrottledReadJournalSetup().WithDataSources(Section, [a, b]));
        Assert.Equal([a, b], shards.Select(each => each.DataSource));
        Assert.Equal(["journal", "moved"], shards.Select(each => each.Options.Tables.JournalTable));
        Assert.Equal(["journals.a", "journals.b"], shards.Select(each => each.WritePlugin));
        AssertPlaces(shards, "0-99,100-1023");
        AssertPlaces(Read("", "slices = [\"0-9\", \"10-1023\"]", new ThrottledReadJournalSetup().WithDataSources(Section, [a, b])), "0-9,10-1023");
    }

    [Theory]
    [InlineData(Written, "", 1, $"'{Section}' was given 1 data source in code, but the write plugin '{Writer}' has 2 shards, ")]
    [InlineData("", Listed, 1, $"'{Section}' was given 1 data source in code, but '{Section}.shards' lists 2; there must be one data source for each shard. Leave 'shards' out.")]
    [InlineData("", "slices = [\"0-511\", \"512-1023\"]", 3, $"'{Section}' was given 3 data sources in code, and '{Section}.slices' has 2 ranges; ")]
    [InlineData("", "provider-name = SQLite", 2, $"The data source of shard 0 of '{Section}': SQLite takes no data source. Give a connection string.")]
    public async Task Data_sources_that_are_not_one_for_each_shard_are_refused(string write, string section, int count, string message)
    {
        await using var source = NpgsqlDataSource.Create("Host=192.0.2.1;Username=reader");
        var setup = new ThrottledReadJournalSetup().WithDataSources(Section, Enumerable.Repeat(source, count));
        using var system = new ConfiguredSystem($"{write}\n{Section} {{ {Class}, {section} }}", setup);
        Assert.StartsWith(message, system.Refusal().Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_setup_without_a_data_source_for_every_shard_is_refused()
    {
        var setup = new ThrottledReadJournalSetup();
        Assert.Throws<ArgumentException>(() => setup.WithDataSources("a", []));
        Assert.Throws<ArgumentException>(() => setup.WithDataSources("a", [null!]));
        Assert.Throws<ArgumentNullException>(() => setup.WithDataSources("a", (IEnumerable<DbDataSource>)null!));
        Assert.Throws<ArgumentException>(() => setup.WithDataSources("", []));
    }

    private static void AssertPlaces(IReadOnlyList<JournalSettings> shards, string slices)
    {
        Assert.All(shards, each => Assert.Equal(slices, each.Options.Shard!.Map.ToString()));
        Assert.Equal(Enumerable.Range(0, shards.Count), shards.Select(each => each.Options.Shard!.Shard));
    }

    private static IReadOnlyList<JournalSettings> Read(string write, string section, params Akka.Actor.Setup.Setup[] setups)
    {
        using var system = new ConfiguredSystem($"{write}\n{Section} {{ {Class}, {section} }}", setups);
        return SettingsFile.Read(system.System, system.System.Settings.Config.GetConfig(Section));
    }
}
