using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>
/// A read journal without a connection string reads the database of its write plugin, like the older Akka.Persistence.Query.Sql beside
/// Akka.Persistence.PostgreSql, Sqlite and SqlServer.
/// </summary>
public sealed class OlderReadJournalTests
{
    private const string Section = ThrottledReadJournal.Identifier;
    private const string NoDatabaseEnd = " Set it in the format of the database's driver, and set 'provider-name' too.";

    private static readonly JournalTables OfPostgreSql = JournalTables.PostgreSql with { Schema = "es", JournalTable = "journal_events" };

    [Fact]
    public void Beside_PostgreSql()
    {
        var settings = Configuration.Settings("older-postgresql");
        Assert.Equal(DatabaseKind.PostgreSql, settings.Database);
        Assert.Equal("Server=localhost;Port=5432;Database=akka;User Id=akka;Password=secret;", settings.ConnectionString);
        Assert.Equal("akka.persistence.journal.postgresql.connection-string", settings.ConnectionSetting);
        Assert.Equal("akka.persistence.journal.postgresql", settings.WritePlugin);
        Assert.True(settings.IsStoredAsJson);
        Assert.Equal(
            new JournalOptions { Name = Section, MaxBufferSize = 100, RefreshInterval = TimeSpan.FromSeconds(3), Tables = OfPostgreSql }, settings.Options);
    }

    [Fact]
    public void Beside_Sqlite()
    {
        var settings = Configuration.Settings("older-sqlite");
        Assert.Equal(DatabaseKind.Sqlite, settings.Database);
        Assert.Equal(@"Datasource=c:\data\journal.db", settings.ConnectionString);
        Assert.Equal("json", settings.Serializer);
        Assert.Equal(JournalTables.Sqlite, settings.Options.Tables);
    }

    [Fact]
    public void Beside_SQL_Server()
    {
        var settings = Configuration.Settings("older-sql-server");
        Assert.Equal(DatabaseKind.SqlServer, settings.Database);
        Assert.Equal("Data Source=sql1;Initial Catalog=akka;User Id=sa;Password=Pa55word", settings.ConnectionString);
        Assert.Equal("akka.persistence.journal.sql-server.connection-string", settings.ConnectionSetting);
        Assert.Equal("akka.persistence.journal.sql-server", settings.WritePlugin);
        Assert.Equal(
            new JournalOptions
            {
                Name = Section,
                MaxBufferSize = 100,
                RefreshInterval = TimeSpan.FromSeconds(1),
                Tables = JournalTables.SqlServer with { Schema = "es", JournalTable = "Events" },
            },
            settings.Options);
        Assert.Empty(settings.Unused.Unknown);
    }

    [Theory]
    [InlineData("Akka.Persistence.SqlServer.Journal.SqlServerJournal, Akka.Persistence.SqlServer")]
    [InlineData("Akka.Persistence.SqlServer.Journal.BatchingSqlServerJournal, Akka.Persistence.SqlServer, Version=1.5.30.0")]
    public void Beside_SQL_Server_under_any_path(string plugin)
    {
        var settings = ConfiguredSystem.Settings($$"""
            journals.mine { class = "{{plugin}}", connection-string = "Server=db" }
            {{Section}} { write-plugin = journals.mine, sql-server.tag.table-name = EventTags, tag-read-mode = TagTable }
            """);
        Assert.Equal((DatabaseKind.SqlServer, "journals.mine.connection-string"), (settings.Database, settings.ConnectionSetting));
        // A setting with its default value has no effect: the plugin has no tag table.
        Assert.Equal(JournalTables.SqlServer with { TagTable = "EventTags" }, settings.Options.Tables);
    }

    [Theory]
    [InlineData("postgresql", "PostgreSql", "event_journal", "public")]
    [InlineData("sql-server", "SqlServer", "EventJournal", "dbo")]
    [InlineData("sqlite", "Sqlite", "event_journal", null)]
    [InlineData("sql", "Sqlite", "journal", null)]
    public void A_write_plugin_without_class_is_recognised_by_its_path(string name, string database, string table, string? schema)
    {
        var settings = ConfiguredSystem.Settings($$"""
            akka.persistence.journal {
              plugin = "akka.persistence.journal.{{name}}"
              {{name}} { connection-string = "Data Source=journal.db" {{(name == "sql" ? ", provider-name = SQLite.MS" : "")}} }
            }
            {{Section}}.refresh-interval = 1s
            """);
        Assert.Equal((database, table, schema), (settings.Database.ToString(), settings.Options.Tables.JournalTable, settings.Options.Tables.Schema));
    }

    [Theory]
    [InlineData("", TagMode.TagTable)]
    [InlineData("tag-write-mode = TagTable", TagMode.TagTable)]
    [InlineData("tag-write-mode = csv", TagMode.Csv)]
    // During the migration from the column to the table, the tags of older events are only in the column.
    [InlineData("tag-write-mode = Both", TagMode.Csv)]
    public void Beside_Akka_Persistence_Sql(string mode, TagMode expected)
    {
        var settings = ConfiguredSystem.Settings($$"""
            akka.persistence.journal.mine {
              class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql"
              connection-string = "Host=db;Password=\"a\\b;c'd\""
              provider-name = PostgreSQL.15
              table-mapping = sqlserver
              tag-separator = "|"
              sqlserver { schema-name = null, journal.table-name = Moved, tag.table-name = MovedTags, journal.columns.message = Body }
              {{mode}}
            }
            {{Section}}.write-plugin = "akka.persistence.journal.mine"
            """);
        Assert.Equal(@"Host=db;Password=""a\b;c'd""", settings.ConnectionString);
        Assert.Equal(
            JournalTables.SqlServer with { TagMode = expected, TagSeparator = '|', JournalTable = "Moved", TagTable = "MovedTags", PayloadColumn = "Body" },
            settings.Options.Tables);
    }

    [Fact]
    public void Settings_of_the_read_journal_win_over_those_of_its_write_plugin()
    {
        var settings = Configuration.Settings("older-postgresql", $$"""
            {{Section}} { stored-as = json, tag-separator = ",", postgresql.journal.table-name = "view_of_events", provider-name = SQLite }
            """);
        Assert.Equal(DatabaseKind.Sqlite, settings.Database);
        Assert.Equal(OfPostgreSql with { JournalTable = "view_of_events", TagSeparator = ',' }, settings.Options.Tables);
    }

    [Fact]
    public void A_layout_of_the_read_journal_has_its_own_names()
    {
        var settings = Configuration.Settings("older-postgresql", $"{Section}.table-mapping = sqlite");
        Assert.Equal(JournalTables.Sqlite, settings.Options.Tables);
    }

    [Theory]
    [InlineData("", "event_journal")]
    [InlineData("table-mapping = sqlserver", "EventJournal")]
    [InlineData("table-compatibility-mode = sqlserver", "EventJournal")]
    public void A_layout_of_the_read_journal_wins_over_the_older_key_of_the_write_plugin(string setting, string table)
    {
        var settings = ConfiguredSystem.Settings($$"""
            akka.persistence.journal {
              plugin = akka.persistence.journal.sql
              sql { connection-string = "Host=db", provider-name = PostgreSQL, table-mapping = default, table-compatibility-mode = mysql }
            }
            {{Section}} { refresh-interval = 1s, {{setting}} }
            """);
        Assert.Equal(table, settings.Options.Tables.JournalTable);
    }

    [Fact]
    public void With_its_own_connection_string_the_read_journal_ignores_the_write_plugin()
    {
        var settings = Configuration.Settings("older-postgresql", $$"""
            {{Section}} { connection-string = "Host=replica", provider-name = PostgreSQL }
            """);
        Assert.Equal("Host=replica", settings.ConnectionString);
        Assert.Equal($"{Section}.connection-string", settings.ConnectionSetting);
        Assert.Equal(JournalTables.Default with { WriterUuidColumn = null }, settings.Options.Tables);
    }

    [Theory]
    [InlineData("mysql { class = \"Akka.Persistence.MySql.Journal.MySqlJournal, Akka.Persistence.MySql\" }", "mysql")]
    [InlineData("mysql { connection-string = x }", "mysql")]
    [InlineData("mine { class = \"Akka.Persistence.MySql.Journal.MySqlJournal, Akka.Persistence.MySql\" }", "mine")]
    public void A_write_plugin_of_an_unsupported_database_is_refused(string plugin, string name)
    {
        using var system = new ConfiguredSystem($"akka.persistence.journal {{ plugin = \"akka.persistence.journal.{name}\", {plugin} }}");
        Assert.Equal(
            $"The write plugin 'akka.persistence.journal.{name}' writes to MySQL, which this version does not read; it must be one of PostgreSQL, SQL Server or SQLite. "
            + "If its journal was moved to one of them, set 'connection-string', 'provider-name' and 'table-mapping' of the read journal.",
            system.Refusal().Message);
    }

    [Fact]
    public void A_wrong_configuration_of_SQL_Server_is_refused_without_its_password()
    {
        using var system = Configuration.System("older-sql-server", "akka.persistence.journal.sql-server.connection-string = \"Server=sql1;Hots=x;Password=Pa55word\"");
        Assert.StartsWith("'akka.persistence.journal.sql-server.connection-string': The connection string is not valid for SQL Server", system.Refusal().Message, StringComparison.Ordinal);
        Assert.DoesNotContain("Pa55word", system.Refusal().ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "no write plugin is configured: 'akka.persistence.journal.plugin' is empty.")]
    [InlineData(
        "akka.persistence.journal.plugin = akka.persistence.journal.elsewhere",
        "'akka.persistence.journal.plugin' names 'akka.persistence.journal.elsewhere', which is not a section.")]
    [InlineData(
        "akka.persistence.journal { plugin = akka.persistence.journal.sqll, sql.connection-string = x }",
        "'akka.persistence.journal.plugin' names 'akka.persistence.journal.sqll' (is 'akka.persistence.journal.sql' meant?), which is not a section.")]
    [InlineData(
        "akka.persistence.journal { plugin = akka.persistence.journal.eventstore, eventstore.connection-string = \"esdb://x\" }",
        "the tables of the write plugin 'akka.persistence.journal.eventstore' are not known.")]
    [InlineData(
        "akka.persistence.journal { plugin = akka.persistence.journal.sqlite, sqlite.class = \"Mine.Journal, Mine\", sqlite.connection-string = x }",
        "the tables of the write plugin 'akka.persistence.journal.sqlite' are not known.")]
    [InlineData(
        "akka.persistence.journal { plugin = akka.persistence.journal.postgresql, postgresql.auto-initialize = on }",
        "'akka.persistence.journal.postgresql.connection-string' is empty too.")]
    public void A_read_journal_without_any_database_is_refused(string write, string why)
    {
        using var system = new ConfiguredSystem(write);
        Assert.Equal($"'{Section}.connection-string' is empty, and {why}{NoDatabaseEnd}", system.Refusal().Message);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_journal_in_memory_is_refused_with_the_same_message_before_and_after_persistence_started(bool hasStarted)
    {
        using var system = new ConfiguredSystem("akka.persistence.journal.plugin = akka.persistence.journal.inmem");
        if (hasStarted)
            Assert.NotNull(Persistence.Instance.Apply(system.System).JournalFor("akka.persistence.journal.inmem"));
        Assert.Equal(
            $"'{Section}.connection-string' is empty, and the tables of the write plugin 'akka.persistence.journal.inmem' are not known.{NoDatabaseEnd}",
            system.Refusal().Message);
    }

    [Theory]
    [InlineData("provider-name", "Oracle.Managed", "PostgreSQL, SqlServer or SQLite")]
    [InlineData("table-mapping", "oracle", "one of default")]
    [InlineData("tag-separator", "\"--\"", "one character")]
    public void A_wrong_value_of_the_write_plugin_is_named_by_its_own_key(string key, string value, string allowed)
    {
        using var system = new ConfiguredSystem($$"""
            akka.persistence.journal { plugin = "akka.persistence.journal.sql", sql { connection-string = "Data Source=x", provider-name = SQLite, {{key}} = {{value}} } }
            """);
        Assert.StartsWith($"'akka.persistence.journal.sql.{key}' is \"{value.Trim('"')}\"; it must be {allowed}", system.Refusal().Message, StringComparison.Ordinal);
    }
}
