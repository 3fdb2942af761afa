using Akka.Event;
using Akka.Persistence.Query.Throttled.Settings;
using SqlPersistence = Akka.Persistence.Sql.SqlPersistence;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>In an existing configuration of Akka.Persistence.Sql, only the plugin id must change.</summary>
public sealed class ExistingConfigurationTests
{
    private static readonly JournalOptions Defaults = new() { Name = ThrottledReadJournal.Identifier };
    private static readonly JournalTables Default = JournalTables.Default with { WriterUuidColumn = null };

    [Theory]
    [InlineData("sql-getting-started")]
    [InlineData("sql-migrated")]
    [InlineData("sql-quick")]
    [InlineData("sql-hosting")]
    [InlineData("older-postgresql")]
    [InlineData("older-sqlite")]
    [InlineData("older-sql-server")]
    [InlineData("sql-on-sql-server")]
    public async Task An_existing_configuration_opens_without_a_warning(string name)
    {
        using var system = Configuration.System(name);
        system.Open();
        Assert.DoesNotContain(await system.LoggedAsync(), each => each.LogLevel() > LogLevel.InfoLevel);
    }

    [Fact]
    public void Getting_started()
    {
        var settings = Configuration.Settings("sql-getting-started");
        Assert.Equal(DatabaseKind.PostgreSql, settings.Database);
        Assert.StartsWith("Host=db.internal;Port=5432;", settings.ConnectionString, StringComparison.Ordinal);
        Assert.Equal("akka.persistence.journal.sql", settings.WritePlugin);
        Assert.Equal(Defaults with { Tables = Default }, settings.Options);
        Assert.Empty(settings.Unused.OfOthers);
    }

    [Fact]
    public void Migrated_from_an_older_plugin()
    {
        var settings = Configuration.Settings("sql-migrated");
        Assert.Equal(DatabaseKind.PostgreSql, settings.Database);
        Assert.Equal(
            Defaults with
            {
                MaxBufferSize = 1000,
                MaxConcurrentQueries = 50,
                RefreshInterval = TimeSpan.FromSeconds(3),
                Tables = JournalTables.PostgreSql with { Schema = "events", JournalTable = "journal_2019", TimestampColumn = "written_at", TagsColumn = "labels" },
            },
            settings.Options);
        Assert.Equal(["journal-sequence-retrieval", "query-throttle-timeout", "read-isolation-level"], settings.Unused.OfOthers);
        Assert.Empty(settings.Unused.Unknown);
    }

    [Fact]
    public void On_SQL_Server_with_the_tables_of_the_older_plugin()
    {
        var settings = Configuration.Settings("sql-on-sql-server");
        Assert.Equal(DatabaseKind.SqlServer, settings.Database);
        Assert.StartsWith("Server=tcp:sql1,1433;", settings.ConnectionString, StringComparison.Ordinal);
        Assert.Equal("akka.persistence.journal.sql", settings.WritePlugin);
        Assert.Equal(
            Defaults with { Tables = JournalTables.SqlServer with { Schema = "es", JournalTable = "Events", TagMode = TagMode.TagTable, TagTable = "EventTags" } }, settings.Options);
    }

    [Fact]
    public void Tuned_durations_are_read_to_the_millisecond()
    {
        var settings = Configuration.Settings("sql-quick");
        Assert.Equal(DatabaseKind.Sqlite, settings.Database);
        Assert.Null(settings.WritePlugin);
        Assert.Equal("legacy", settings.Serializer);
        Assert.Equal(
            Defaults with
            {
                MaxBufferSize = 10_000,
                RefreshInterval = TimeSpan.FromMilliseconds(1),
                MinPollInterval = TimeSpan.FromMilliseconds(1),
                Tables = JournalTables.Sqlite with { TagSeparator = '|' },
            },
            settings.Options);
    }

    [Fact]
    public void Generated_by_Hosting()
    {
        var settings = Configuration.Settings("sql-hosting");
        Assert.Equal(DatabaseKind.Sqlite, settings.Database);
        Assert.Equal("Data Source=/var/lib/app/journal.db;Cache=Shared", settings.ConnectionString);
        Assert.Equal("akka.persistence.journal.sql", settings.WritePlugin);
        Assert.Null(settings.Serializer);
        Assert.Equal(
            Defaults with
            {
                RefreshInterval = TimeSpan.FromSeconds(1),
                Tables = Default with
                {
                    Schema = "main",
                    JournalTable = "events",
                    PersistenceIdColumn = "entity",
                    TagTable = "event_tags",
                    TagOrderingColumn = "event",
                    TagColumn = "label",
                },
            },
            settings.Options);
        Assert.Equal(["metadata", "read-isolation-level", "use-writer-uuid-column", "writer-uuid"], settings.Unused.OfOthers);
        Assert.Empty(settings.Unused.Unknown);
    }

    [Fact]
    public void No_setting_of_Akka_Persistence_Sql_is_unknown()
    {
        var theirs = UnusedSettings.Of(SqlPersistence.DefaultQueryConfiguration.WithFallback(SqlPersistence.DefaultJournalConfiguration), SettingsFile.Defaults);
        Assert.Empty(theirs.Unknown);
        Assert.Contains("journal-sequence-retrieval", theirs.OfOthers);
    }

    [Theory]
    [InlineData("PostgreSQL", "PostgreSql")]
    [InlineData("PostgreSQL.15", "PostgreSql")]
    [InlineData("PostgreSQL.9.2", "PostgreSql")]
    [InlineData("PostgreSQL.9.5", "PostgreSql")]
    [InlineData("SQLite", "Sqlite")]
    [InlineData("SQLite.MS", "Sqlite")]
    [InlineData("SQLite.Classic", "Sqlite")]
    [InlineData("sqlite.ms", "Sqlite")]
    [InlineData("SqlServer", "SqlServer")]
    [InlineData("SqlServer.2005", "SqlServer")]
    [InlineData("SqlServer.2019", "SqlServer")]
    [InlineData("SqlServer.2022", "SqlServer")]
    [InlineData("SqlServer.2019.MS", "SqlServer")]
    [InlineData("SqlServer.System", "SqlServer")]
    [InlineData("sqlserver.2016", "SqlServer")]
    public void The_provider_name_selects_the_database(string name, string database) =>
        Assert.Equal(database, ConfiguredSystem.Settings(Hocon.Journal($"provider-name = \"{name}\"")).Database.ToString());

    [Fact]
    public void Every_provider_name_of_linq2db_for_SQL_Server_is_accepted()
    {
        var names = typeof(LinqToDB.ProviderName).GetFields().Select(each => (string)each.GetValue(null)!).Where(each => each.StartsWith("SqlServer.", StringComparison.Ordinal)).ToList();
        Assert.Contains("SqlServer.2022", names);
        Assert.All(names, name => Assert.Equal(DatabaseKind.SqlServer, ProviderName.Of(name)));
    }

    [Theory]
    [InlineData("bytea", false)]
    [InlineData("json", true)]
    [InlineData("JSONB", true)]
    public void Payloads_are_stored_as_the_older_plugin_stored_them(string text, bool isJson) =>
        Assert.Equal(isJson, ConfiguredSystem.Settings(Hocon.Journal($"stored-as = {text}")).IsStoredAsJson);

    [Theory]
    [InlineData("off", null)]
    [InlineData("OFF", null)]
    [InlineData("\"off\"", null)]
    [InlineData("1", 1)]
    [InlineData("16 MiB", 16 * 1024 * 1024)]
    [InlineData("16MiB", 16 * 1024 * 1024)]
    [InlineData("2147483647", int.MaxValue)]
    public void The_largest_payload_is_a_size_or_off(string size, int? bytes) =>
        Assert.Equal(bytes, ConfiguredSystem.Settings(Hocon.Journal($"max-payload-bytes = {size}")).Options.MaxPayloadBytes);

    [Theory]
    [InlineData("fail", "Fail")]
    [InlineData("skip", "Skip")]
    [InlineData("deliver", "Deliver")]
    public void The_action_for_undecodable_events_is_read(string text, string value) =>
        Assert.Equal(value, ConfiguredSystem.Settings(Hocon.Journal($"on-undecodable-event = {text}")).OnUndecodableEvent.ToString());

    [Theory]
    [InlineData("sqlserver", "sqlserver", "Moved")]
    [InlineData("sql-server", "sql-server", "Moved")]
    [InlineData("sqlserver", "sql-server", "EventJournal")]
    [InlineData("sql-server", "sqlserver", "EventJournal")]
    public void Table_names_are_read_under_each_name_of_the_layout(string mapping, string section, string table)
    {
        var tables = ConfiguredSystem.Settings(Hocon.Journal($"table-mapping = {mapping}\n{section}.journal.table-name = Moved")).Options.Tables;
        Assert.Equal(("dbo", table, "Ordering"), (tables.Schema, tables.JournalTable, tables.OrderingColumn));
    }

    [Fact]
    public void A_section_of_another_name_without_its_class_is_refused_by_Akka()
    {
        using var system = new ConfiguredSystem("akka.persistence.query.journal.orders.connection-string = \"Data Source=orders.db\"");
        Assert.Equal("typeName", Assert.Throws<ArgumentNullException>(() => system.Open("akka.persistence.query.journal.orders")).ParamName);
    }

    [Fact]
    public void The_old_key_of_the_layout_wins_over_the_new_one() => Assert.Equal(
        JournalTables.MySql with { TagMode = TagMode.TagTable },
        ConfiguredSystem.Settings(Hocon.Journal("table-mapping = sqlite\ntable-compatibility-mode = mysql")).Options.Tables);

    [Fact]
    public void Names_of_the_tag_table_are_read_under_every_layout() => Assert.Equal(
        JournalTables.PostgreSql with { TagMode = TagMode.TagTable, TagTable = "labels", TagColumn = "label" },
        ConfiguredSystem.Settings(Hocon.Journal("table-mapping = postgresql\npostgresql.tag { table-name = labels, columns.tag-value = label }")).Options.Tables);
}
