using System.Data.Common;
using System.Text;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Streams;
using Akka.Streams.Dsl;
using Microsoft.Data.SqlClient;
using Npgsql;
using Throttled.Journal.PostgreSql;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>A data source from code replaces the connection string.</summary>
public sealed class DataSourceTests
{
    private const string Section = ThrottledReadJournal.Identifier;
    private const string Class = "class = \"Akka.Persistence.Query.Throttled.ThrottledReadJournalProvider, Akka.Persistence.Query.Throttled\"";

    [PostgreSqlFact]
    public async Task A_journal_is_read_from_a_data_source()
    {
        await using var source = NpgsqlDataSource.Create(SharedServer.Server.CreateDatabase());
        await using (var appender = PostgreSqlJournal.OpenAppender(source))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([new() { PersistenceId = "a", SequenceNumber = 1, Payload = Encoding.UTF8.GetBytes("one"), SerializerId = 4 }]);
        }
        await using (var system = new ConfiguredSystem($"{Section}.refresh-interval = 1s", new ThrottledReadJournalSetup().WithDataSource(Section, source)))
        {
            var events = await system.Open().CurrentAllEvents(Offset.NoOffset()).RunWith(Sink.Seq<EventEnvelope>(), system.System.Materializer());
            Assert.Equal("a", Assert.Single(events).PersistenceId);
        }
        // The user owns the data source: it still works.
        await using var connection = await source.OpenConnectionAsync();
    }

    [Theory]
    [InlineData("")]
    [InlineData("provider-name = PostgreSQL.15")]
    [InlineData("connection-string = \"Nonsense=1\"")]
    public async Task A_data_source_needs_neither_provider_nor_connection_string(string settings)
    {
        await using var source = NpgsqlDataSource.Create("Host=192.0.2.1;Username=reader");
        using var system = new ConfiguredSystem($"mine {{ {Class}, {settings} }}", new ThrottledReadJournalSetup().WithDataSource("mine", source));
        Assert.Equal("mine", system.Open("mine").Engine.Options.Name);
    }

    [Fact]
    public async Task A_data_source_belongs_to_one_journal()
    {
        await using var source = NpgsqlDataSource.Create("Host=192.0.2.1;Username=reader");
        using var system = new ConfiguredSystem($"first {{ {Class} }}\nsecond {{ {Class} }}", new ThrottledReadJournalSetup().WithDataSource("first", source));
        system.Open("first");
        Assert.StartsWith("'second.connection-string' is empty, and ", system.Refusal("second").Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_data_source_of_another_driver_is_refused()
    {
        using var source = new OtherDataSource();
        using var system = new ConfiguredSystem("", new ThrottledReadJournalSetup().WithDataSource(Section, source));
        Assert.Equal(
            $"The data source of '{Section}': The data source is a {typeof(OtherDataSource).FullName}; it must be an Npgsql.NpgsqlDataSource, "
            + "or create Microsoft.Data.SqlClient.SqlConnections, as the data sources of SqlClientFactory do.",
            system.Refusal().Message);
    }

    [Theory]
    [InlineData("PostgreSQL", "The data source Throttled.Journal makes a Microsoft.Data.Sqlite.SqliteConnection; it must make Npgsql.NpgsqlConnections.")]
    [InlineData("SqlServer.2022", "The data source Throttled.Journal makes a Microsoft.Data.Sqlite.SqliteConnection; it must make Microsoft.Data.SqlClient.SqlConnections.")]
    public void A_data_source_of_another_driver_than_that_of_the_section_is_refused(string provider, string message)
    {
        using var source = Microsoft.Data.Sqlite.SqliteFactory.Instance.CreateDataSource("Data Source=x.db");
        using var system = new ConfiguredSystem($"{Section}.provider-name = {provider}", new ThrottledReadJournalSetup().WithDataSource(Section, source));
        Assert.Equal(
            $"The data source of '{Section}': {message.Replace("Throttled.Journal", source.GetType().FullName, StringComparison.Ordinal)}", system.Refusal().Message);
    }

    [Theory]
    [InlineData("")]
    [InlineData("provider-name = SqlServer.2022")]
    [InlineData("connection-string = \"Nonsense=1\"")]
    public void A_data_source_of_SQL_Server_needs_neither_provider_nor_connection_string(string settings)
    {
        using var source = NewSqlServer();
        using var system = new ConfiguredSystem($"mine {{ {Class}, {settings} }}", new ThrottledReadJournalSetup().WithDataSource("mine", source));
        Assert.Equal((DatabaseKind.SqlServer, source), (system.Read("mine").Database, system.Read("mine").DataSource));
        Assert.Equal("mine", system.Open("mine").Engine.Options.Name);
    }

    [Fact]
    public async Task SQLite_takes_no_data_source()
    {
        await using var source = NpgsqlDataSource.Create("Host=192.0.2.1;Username=reader");
        using var system = new ConfiguredSystem(Hocon.Journal(), new ThrottledReadJournalSetup().WithDataSource(Section, source));
        Assert.Equal($"The data source of '{Section}': SQLite takes no data source. Give a connection string.", system.Refusal().Message);
    }

    [Fact]
    public async Task A_data_source_of_several_servers_is_refused()
    {
        await using var source = NpgsqlDataSource.Create("Host=a,b;Username=reader");
        using var system = new ConfiguredSystem("", new ThrottledReadJournalSetup().WithDataSource(Section, source));
        Assert.StartsWith($"The data source of '{Section}': 'Target Session Attributes' is any with 2 hosts;", system.Refusal().Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_data_source_is_added_to_an_existing_setup()
    {
        using var source = new OtherDataSource();
        var setup = new ThrottledReadJournalSetup();
        Assert.Same(setup, setup.WithDataSource("a", source));
        Assert.Same(setup, setup.WithDataSources("b", [source, source]));
        Assert.Same(source, Assert.Single(setup.DatabasesOf("a")).DataSource);
        Assert.Equal(2, setup.DatabasesOf("b").Count);
        Assert.Empty(setup.DatabasesOf("c"));
        Assert.Throws<ArgumentException>(() => setup.WithDataSource("", source));
        Assert.Throws<ArgumentNullException>(() => setup.WithDataSource("a", null!));
    }

    [Fact]
    public async Task A_data_source_that_creates_Npgsql_connections_may_have_another_type()
    {
        await using var source = Npgsql.NpgsqlFactory.Instance.CreateDataSource("Host=192.0.2.1;Username=reader");
        using var other = new WrappedSource(source);
        using var system = new ConfiguredSystem($"mine {{ {Class} }}", new ThrottledReadJournalSetup().WithDataSource("mine", other));
        Assert.Equal((DatabaseKind.PostgreSql, other), (system.Read("mine").Database, system.Read("mine").DataSource));
        Assert.Equal("mine", system.Open("mine").Engine.Options.Name);
    }

    [Fact]
    public void The_tables_are_those_of_the_older_plugin()
    {
        var settings = Beside($$"""
            akka.persistence.journal {
              plugin = akka.persistence.journal.postgresql
              postgresql { connection-string = "Host=other", schema-name = es, table-name = journal_events, stored-as = jsonb, serializer = bytes }
            }
            {{Section}}.burst = 7
            """);
        Assert.Equal(JournalTables.PostgreSql with { Schema = "es", JournalTable = "journal_events" }, settings.Options.Tables);
        Assert.Equal((true, "bytes", 7), (settings.IsStoredAsJson, settings.Serializer, settings.Options.Burst));
        Assert.Equal(("", $"{Section}.connection-string"), (settings.ConnectionString, settings.ConnectionSetting));
    }

    [Theory]
    [InlineData("sql-server { connection-string = \"Server=other\", schema-name = es, table-name = Events, serializer = bytes }", TagMode.Csv)]
    [InlineData("sql-server { class = \"Mine, Akka.Persistence.Sql\", table-mapping = sql-server, serializer = bytes, sql-server { schema-name = es, journal.table-name = Events } }", TagMode.TagTable)]
    public void The_tables_on_SQL_Server_are_those_of_its_write_plugin(string plugin, TagMode mode)
    {
        using var source = NewSqlServer();
        var settings = Beside($"akka.persistence.journal {{ plugin = akka.persistence.journal.sql-server, {plugin} }}", source);
        Assert.Equal(JournalTables.SqlServer with { Schema = "es", JournalTable = "Events", TagMode = mode }, settings.Options.Tables);
        Assert.Equal((DatabaseKind.SqlServer, "bytes", ""), (settings.Database, settings.Serializer, settings.ConnectionString));
    }

    [Theory]
    [InlineData("akka.persistence.journal { plugin = akka.persistence.journal.postgresql, postgresql { table-name = x, stored-as = json } }")]
    [InlineData("akka.persistence.journal { plugin = akka.persistence.journal.sql, sql { provider-name = PostgreSQL.15, table-mapping = postgresql } }")]
    public void The_tables_on_SQL_Server_are_not_those_of_a_write_plugin_on_PostgreSQL(string write)
    {
        using var source = NewSqlServer();
        var settings = Beside(write, source);
        Assert.Equal(JournalTables.Default with { WriterUuidColumn = null }, settings.Options.Tables);
        Assert.False(settings.IsStoredAsJson);
    }

    [Theory]
    [InlineData("provider-name = PostgreSQL.15")]
    [InlineData("provider-name = \"\"")]
    [InlineData("")]
    public void The_tables_are_those_of_Akka_Persistence_Sql(string provider)
    {
        var settings = Beside($$"""
            akka.persistence.journal {
              plugin = akka.persistence.journal.sql
              sql { {{provider}}
                table-mapping = sqlserver, tag-write-mode = Csv, tag-separator = ",", sqlserver.journal.table-name = Moved }
            }
            """);
        Assert.Equal(JournalTables.SqlServer with { JournalTable = "Moved", TagSeparator = ',' }, settings.Options.Tables);
        Assert.Equal(DatabaseKind.PostgreSql, settings.Database);
    }

    [Fact]
    public void Settings_of_the_section_win_over_those_of_the_write_plugin()
    {
        var settings = Beside($$"""
            akka.persistence.journal { plugin = akka.persistence.journal.postgresql, postgresql { schema-name = es, table-name = journal_events, stored-as = json } }
            {{Section}} { postgresql.journal.table-name = view_of_events, tag-separator = "|" }
            """);
        Assert.Equal(JournalTables.PostgreSql with { Schema = "es", JournalTable = "view_of_events", TagSeparator = '|' }, settings.Options.Tables);
        Assert.True(settings.IsStoredAsJson);
    }

    [Theory]
    [InlineData("")]
    [InlineData("akka.persistence.journal.plugin = akka.persistence.journal.elsewhere")]
    [InlineData("akka.persistence.journal { plugin = akka.persistence.journal.eventstore, eventstore { table-name = x, stored-as = json } }")]
    [InlineData("akka.persistence.journal { plugin = akka.persistence.journal.sql-server, sql-server.table-name = x }")]
    [InlineData("akka.persistence.journal { plugin = akka.persistence.journal.mysql, mysql.table-name = x }")]
    [InlineData("akka.persistence.journal { plugin = akka.persistence.journal.sqlite, sqlite.table-name = x }")]
    [InlineData("akka.persistence.journal { plugin = akka.persistence.journal.sql, sql { provider-name = SQLite.MS, table-mapping = sqlite } }")]
    [InlineData("akka.persistence.journal { plugin = akka.persistence.journal.sql, sql { provider-name = SqlServer.2019, table-mapping = sql-server } }")]
    public void A_write_plugin_without_table_settings_is_no_error(string write)
    {
        var settings = Beside(write);
        Assert.Equal(JournalTables.Default with { WriterUuidColumn = null }, settings.Options.Tables);
        Assert.False(settings.IsStoredAsJson);
    }

    [Fact]
    public void A_named_write_plugin_that_does_not_exist_is_refused()
    {
        var refusal = Assert.Throws<ConfigurationException>(() => Beside($"{Section}.write-plugin = akka.persistence.journal.none"));
        Assert.StartsWith($"'{Section}.write-plugin' is \"akka.persistence.journal.none\"; it must be ", refusal.Message, StringComparison.Ordinal);
    }

    private static JournalSettings Beside(string hocon)
    {
        using var source = NpgsqlDataSource.Create("Host=192.0.2.1;Username=reader");
        return Beside(hocon, source);
    }

    private static JournalSettings Beside(string hocon, DbDataSource source)
    {
        using var system = new ConfiguredSystem(
            ConfigurationFactory.ParseString(hocon).WithFallback(SettingsFile.Reference), new ThrottledReadJournalSetup().WithDataSource(Section, source));
        var settings = system.Read();
        Assert.Same(source, settings.DataSource);
        return settings;
    }

    private static DbDataSource NewSqlServer() => SqlClientFactory.Instance.CreateDataSource("Server=192.0.2.1;User ID=reader");

    private sealed class WrappedSource(DbDataSource source) : DbDataSource
    {
        public override string ConnectionString => source.ConnectionString;

        protected override DbConnection CreateDbConnection() => source.CreateConnection();
    }

    private sealed class OtherDataSource : DbDataSource
    {
        public override string ConnectionString => "";

        protected override DbConnection CreateDbConnection() => throw new NotSupportedException();
    }
}
