using Akka.Actor.Setup;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Microsoft.Extensions.Configuration;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

public sealed class OptionsTests
{
    private const string Path = "akka.persistence.query.journal.throttled";

    private static ThrottledReadJournalOptions Everything { get; } = new()
    {
        ConnectionString = "Data Source=everything.db",
        ProviderName = "SQLite.MS",
        WritePlugin = "akka.persistence.journal.inmem",
        TableMapping = TableMapping.PostgreSql,
        SchemaName = "main",
        JournalTableName = "my \"events\"",
        TagTableName = "my_tags",
        Strict = true,
        TagReadMode = TagMode.Csv,
        TagSeparator = "|",
        MaxConcurrentQueries = 2,
        MaxQueriesPerSecond = 3,
        Burst = 4,
        MaxBufferSize = 5,
        MaxQueriesPerStatement = 6,
        MaxRowsPerStatement = 7,
        MaxBufferedBytes = 5_000_000_000,
        MaxPayloadBytes = 8,
        QueryThrottleWarning = TimeSpan.FromSeconds(9),
        RefreshInterval = TimeSpan.FromSeconds(10),
        MinPollInterval = TimeSpan.FromMilliseconds(1.5),
        TailMaxLag = 12,
        Notify = true,
        GapTimeout = TimeSpan.FromMinutes(13),
        GapMinAge = TimeSpan.FromMinutes(12),
        OnGapTimeout = GapTimeoutAction.Skip,
        AllowCachedSequence = true,
        StatementTimeout = TimeSpan.FromSeconds(16),
        FatalErrorGracePeriod = TimeSpan.Zero,
        CurrentQueryTimeout = TimeSpan.FromDays(18),
        RequireTable = true,
        PrepareStatements = false,
        OnUndecodableEvent = UndecodableEventAction.Deliver,
        Serializer = "json",
        StoredAs = StoredAs.Jsonb,
    };

    private static ThrottledReadJournalOptions Sharded => new()
    {
        Shards = ["Host=\"a\"", "Host=b"],
        Slices = ["0-99", "100-1023"],
        ProviderName = "PostgreSQL",
        MaxConcurrentQueries = 3,
    };

    [Fact]
    public void Every_option_arrives()
    {
        var settings = Settings(Everything);
        Assert.Equal(Expected(), settings.Options);
        Assert.Equal(("Data Source=everything.db", DatabaseKind.Sqlite), (settings.ConnectionString, settings.Database));
        Assert.Equal(("akka.persistence.journal.inmem", "json"), (settings.WritePlugin, settings.Serializer));
        Assert.Equal((UndecodableEventAction.Deliver, true), (settings.OnUndecodableEvent, settings.IsStoredAsJson));
        Assert.Empty(settings.Unused.Unknown);
    }

    // The package Akka.Persistence.Query.Throttled.Cluster sets the section cluster.
    [Fact]
    public void There_is_an_option_for_every_setting() =>
        Assert.Equal(
            SettingsFile.Reference.GetConfig(ThrottledReadJournal.Identifier).Root.GetObject().Items.Keys.Order(),
            Keys(Everything).Union(Keys(Sharded)).Except(["table-compatibility-mode"]).Append("cluster").Order());

    [Fact]
    public void Options_that_are_not_set_are_not_written() =>
        Assert.Equal(["class", "plugin-id"], Keys(new()));

    [Fact]
    public void Every_option_of_shards_arrives()
    {
        var shards = AllSettings(Sharded);
        Assert.Equal(["Host=\"a\"", "Host=b"], shards.Select(each => each.ConnectionString));
        Assert.All(shards, each => Assert.Equal("0-99,100-1023", each.Options.Shard!.Map.ToString()));
        Assert.All(shards, each => Assert.Equal((DatabaseKind.PostgreSql, 3), (each.Database, each.Options.MaxConcurrentQueries)));
    }

    [Fact]
    public void Invalid_shards_are_refused_by_the_call()
    {
        Refuses(options => options.ConnectionString = "Host=a", $"'{Path}.connection-string' is set, but '{Path}.shards' ");
        Refuses(options => options.Slices = ["0-1023"], $"'{Path}.shards' lists 2 databases, and '{Path}.slices' has 1 range; ");
        Refuses(options => (options.Shards, options.Slices) = (null, ["0-511"]), $"'{Path}.slices': The slices of the shards are \"0-511\": slice 512 is in no shard.");
        using var source = new NoDataSource();
        Refuses(options => (options.DataSource, options.DataSources) = (source, [source]), "'DataSource' and 'DataSources' are both set; ");
        Refuses(options => options.DataSources = [source, null!], "'DataSources' is empty or contains null; ");
        Refuses(options => options.DataSources = [], "'DataSources' is empty or contains null; ");
    }

    [Fact]
    public void Data_sources_of_shards_are_added_to_the_setup_in_order()
    {
        using var one = new NoDataSource();
        using var two = new NoDataSource();
        var builder = Builder().WithThrottledReadJournal(options => options.DataSources = [one, two]);
        Assert.Equal([one, two], ActorSystemSetup.Create([.. builder.Setups]).Get<ThrottledReadJournalSetup>().Value.DatabasesOf(Path).Select(each => each.DataSource));
    }

    [Theory]
    [InlineData(TableMapping.Default, "public")]
    [InlineData(TableMapping.Sqlite, "public")]
    [InlineData(TableMapping.SqlServer, "public")]
    [InlineData(TableMapping.MySql, "")]
    public void Table_names_apply_to_every_layout(TableMapping mapping, string schema)
    {
        var tables = Settings(new()
        {
            ConnectionString = "Host=server", ProviderName = "PostgreSQL", TableMapping = mapping,
            SchemaName = schema, JournalTableName = "events", TagTableName = "labels",
        }).Options.Tables;
        Assert.Equal((schema.Length == 0 ? null : schema, "events", "labels"), (tables.Schema, tables.JournalTable, tables.TagTable));
    }

    [Theory]
    [InlineData(null, "EventJournal")]
    [InlineData(TableMapping.Sqlite, "event_journal")]
    [InlineData(TableMapping.Default, "journal")]
    public void The_option_of_the_layout_wins_over_its_older_key_in_HOCON(TableMapping? mapping, string table)
    {
        var settings = Settings(
            new() { ConnectionString = "Data Source=a.db", ProviderName = "SQLite", TableMapping = mapping }, $"{Path}.table-compatibility-mode = sqlserver");
        Assert.Equal(table, settings.Options.Tables.JournalTable);
        Assert.Empty(settings.Unused.Unknown);
    }

    [Theory]
    [InlineData("Host=server;Password=a\"b\\c/d#e${x} =+[]{}'%")]
    [InlineData("\"")]
    [InlineData("\"quoted\"")]
    [InlineData(" blanks at both ends ")]
    [InlineData("null and void")]
    [InlineData("; + ' ( ) | ~ % <>")]
    [InlineData("1e3")]
    [InlineData("off")]
    [InlineData("C:\\journal\\new.db")]
    [InlineData("two\r\nlines\tand a tab")]
    [InlineData("\u00e9\u6f22\U0001f600")]
    [InlineData("a // b /* c */")]
    public void Any_text_is_written_and_read_back(string text)
    {
        var section = OptionsHocon.Section(new() { ConnectionString = text, JournalTableName = text }).GetConfig(Path);
        // Akka.NET trims every text that it reads.
        Assert.Equal(text.Trim(), section.GetString("connection-string"));
        Assert.Equal(text.Trim(), section.GetString("sqlite.journal.table-name"));
    }

    [Fact]
    public void An_infinite_timeout_is_infinite_in_HOCON()
    {
        var options = Settings(new()
        {
            ConnectionString = "Data Source=a.db", ProviderName = "SQLite", CurrentQueryTimeout = Timeout.InfiniteTimeSpan,
        }).Options;
        Assert.Null(options.CurrentQueryTimeout);
    }

    [Theory]
    [InlineData("orders-2_x", true)]
    [InlineData("", false)]
    [InlineData("my orders", false)]
    [InlineData("my.orders", false)]
    [InlineData("${x}", false)]
    [InlineData("a\u00a0b", false)]
    [InlineData("a/b", false)]
    public void An_identifier_is_a_plain_key(string identifier, bool isOne)
    {
        var error = Record.Exception(() => Builder().WithThrottledReadJournal("Data Source=a.db", "SQLite", options => options.Identifier = identifier));
        if (isOne)
            Assert.Null(error);
        else
            Assert.Contains($"'Identifier' is \"{identifier}\"", Assert.IsType<ConfigurationException>(error).Message);
    }

    [Fact]
    public void One_setup_has_the_data_sources_of_all_read_journals_and_is_not_replaced()
    {
        using var one = new NoDataSource();
        using var two = new NoDataSource();
        using var three = new NoDataSource();
        var builder = Builder();
        var setup = new ThrottledReadJournalSetup().WithDataSource("one", one);
        builder.AddSetup(setup);
        builder.WithThrottledReadJournal(two, options => options.Identifier = "two");
        builder.WithThrottledReadJournal(three, options => options.Identifier = "three");
        Assert.Same(setup, Assert.Single(builder.Setups));
        Assert.Equal(
            [one, two, three],
            new[] { "one", "akka.persistence.query.journal.two", "akka.persistence.query.journal.three" }.SelectMany(setup.DatabasesOf).Select(each => each.DataSource));
    }

    [Fact]
    public void Values_are_bound_by_their_names()
    {
        var bound = new Dictionary<string, string?>
        {
            ["TableMapping"] = "sqlserver", ["TagReadMode"] = "Csv", ["OnGapTimeout"] = "Skip", ["OnUndecodableEvent"] = "skip", ["StoredAs"] = "json",
        };
        var options = new ConfigurationBuilder().AddInMemoryCollection(bound).Build().Get<ThrottledReadJournalOptions>()!;
        Assert.Equal((TableMapping.SqlServer, TagMode.Csv, GapTimeoutAction.Skip), (options.TableMapping, options.TagReadMode, options.OnGapTimeout));
        Assert.Equal((UndecodableEventAction.Skip, StoredAs.Json), (options.OnUndecodableEvent, options.StoredAs));
    }

    [Fact]
    public void Missing_arguments_are_refused_by_the_call()
    {
        Assert.Throws<ArgumentException>(() => Builder().WithThrottledReadJournal("", "SQLite"));
        Assert.Throws<ArgumentException>(() => Builder().WithThrottledReadJournal("Data Source=a.db", ""));
        Assert.Throws<ArgumentNullException>(() => Builder().WithThrottledReadJournal((System.Data.Common.DbDataSource)null!));
        Assert.Throws<ArgumentNullException>(() => Builder().WithThrottledReadJournal((LinqToDB.DataOptions)null!));
        Assert.Throws<ArgumentNullException>(() => Builder().WithThrottledReadJournal((ThrottledReadJournalOptions)null!));
    }

    private static JournalOptions Expected() => new()
    {
        Name = Path,
        Tables = JournalTables.PostgreSql with
        {
            Schema = "main", JournalTable = "my \"events\"", TagTable = "my_tags", TagMode = TagMode.Csv, TagSeparator = '|', WriterUuidColumn = null,
        },
        MaxConcurrentQueries = 2,
        MaxQueriesPerSecond = 3,
        Burst = 4,
        MaxBufferSize = 5,
        MaxQueriesPerStatement = 6,
        MaxRowsPerStatement = 7,
        MaxBufferedBytes = 5_000_000_000,
        MaxPayloadBytes = 8,
        QueryThrottleWarning = TimeSpan.FromSeconds(9),
        RefreshInterval = TimeSpan.FromSeconds(10),
        MinPollInterval = TimeSpan.FromMilliseconds(1.5),
        TailMaxLag = 12,
        Notify = true,
        GapTimeout = TimeSpan.FromMinutes(13),
        GapMinAge = TimeSpan.FromMinutes(12),
        OnGapTimeout = GapTimeoutAction.Skip,
        AllowCachedSequence = true,
        StatementTimeout = TimeSpan.FromSeconds(16),
        FatalErrorGracePeriod = TimeSpan.Zero,
        CurrentQueryTimeout = TimeSpan.FromDays(18),
        RequireTable = true,
        PrepareStatements = false,
    };

    private static AkkaConfigurationBuilder Builder() => new(new Microsoft.Extensions.DependencyInjection.ServiceCollection(), "app");

    private static IEnumerable<string> Keys(ThrottledReadJournalOptions options) => OptionsHocon.Section(options).GetConfig(Path).Root.GetObject().Items.Keys;

    private static void Refuses(Action<ThrottledReadJournalOptions> change, string message)
    {
        var options = Sharded;
        change(options);
        Assert.StartsWith(message, Assert.Throws<ConfigurationException>(() => Builder().WithThrottledReadJournal(options)).Message, StringComparison.Ordinal);
    }

    private static JournalSettings Settings(ThrottledReadJournalOptions options, string hocon = "") => Assert.Single(AllSettings(options, hocon));

    private static IReadOnlyList<JournalSettings> AllSettings(ThrottledReadJournalOptions options, string hocon = "")
    {
        using var system = Actor.ActorSystem.Create(
            "settings",
            OptionsValidation.Checked(options).WithFallback($"{hocon}\n").WithFallback("akka { loglevel = OFF, stdout-loglevel = OFF }").WithFallback(Persistence.DefaultConfig()));
        return SettingsFile.Read(system, system.Settings.Config.GetConfig(options.PluginId));
    }

    private sealed class NoDataSource : System.Data.Common.DbDataSource
    {
        public override string ConnectionString => "";

        protected override System.Data.Common.DbConnection CreateDbConnection() => throw new NotSupportedException();
    }
}
