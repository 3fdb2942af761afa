using Akka.Event;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

public sealed class UnusedSettingsTests
{
    private const string Section = ThrottledReadJournal.Identifier;

    [Fact]
    public async Task Settings_of_other_plugins_are_logged_once_at_Info()
    {
        using var system = Configuration.System("sql-migrated");
        system.Open();
        system.Open();
        var logged = Assert.Single(await system.LoggedAsync());
        Assert.Equal(LogLevel.InfoLevel, logged.LogLevel());
        Assert.Equal(
            $"These settings of '{Section}' belong to other plugins and have no effect here: journal-sequence-retrieval, query-throttle-timeout, read-isolation-level.",
            logged.Message.ToString());
    }

    [Fact]
    public async Task Misspelt_settings_are_logged_once_at_Warning()
    {
        using var system = new ConfiguredSystem(Hocon.Journal("""
            max-bufer-size = 3
            postgres { schema-name = x }
            default { journal { table = y, columns.event-id = z } }
            """));
        system.Open();
        system.Open();
        var logged = Assert.Single(await system.LoggedAsync());
        Assert.Equal(LogLevel.WarningLevel, logged.LogLevel());
        Assert.Equal(
            $"'{Section}' has settings that do not exist: 'default.journal.columns.event-id', 'default.journal.table', 'max-bufer-size' (is 'max-buffer-size' meant?), "
            + "'postgres' (is 'postgresql' meant?). "
            + "Correct their names, or leave them out.",
            logged.Message.ToString());
    }

    [Fact]
    public async Task Only_settings_that_do_not_exist_are_logged()
    {
        using var system = new ConfiguredSystem(Hocon.Journal($$"""
            plugin-id = "{{Section}}"
            table-compatibility-mode = null
            postgresql.tag.table-name = labels
            sqlserver.schema-name = sales
            burts = 7
            """, "mine"));
        system.Open("mine");
        Assert.EndsWith("do not exist: 'burts' (is 'burst' meant?). Correct their names, or leave them out.", Assert.Single(await system.LoggedAsync("mine")).Message.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Strict_refuses_settings_that_do_not_exist()
    {
        using var system = new ConfiguredSystem(Hocon.Journal("strict = on, max-bufer-size = 3, journal-sequence-retrieval.batch-size = 5"));
        Assert.Equal(
            $"'{Section}' has settings that do not exist: 'max-bufer-size' (is 'max-buffer-size' meant?). Correct their names, leave them out, or set '{Section}.strict' to off.",
            system.Refusal().Message);
    }

    [Fact]
    public async Task A_section_with_a_mistyped_path_is_logged_with_the_intended_path()
    {
        const string typed = "akka.persistence.query.journal.throtled";
        using var system = new ConfiguredSystem($"{Written} {typed} {{ max-concurrent-queries = 3 }}");
        system.Open();
        Assert.Equal(
            [
                $"'{typed}': no read journal uses this section, because it has no 'class'. Is '{Section}' meant? Correct the path, or add the 'class'.",
                $"The configuration has no section '{Section}'. The read journal uses the defaults, and reads where the write plugin writes.",
            ],
            (await system.LoggedAsync()).Select(logged => logged.Message.ToString()));
        // Without the class of the plugin, Akka.NET cannot create a journal from the section.
        Assert.Contains("throtled", Assert.ThrowsAny<Exception>(() => system.Open("akka.persistence.query.journal.throtled2")).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("akka.persistence.query.journal.throtled")]
    [InlineData("akka.persistence.querry.journal.throttled")]
    public void Strict_refuses_a_section_with_a_mistyped_path(string typed)
    {
        using var system = new ConfiguredSystem($"{Hocon.Journal("strict = on")} {typed} {{ max-concurrent-queries = 3 }}");
        Assert.StartsWith($"'{typed}': no read journal uses this section, because it has no 'class'. Is '{Section}' meant? ", system.Refusal().Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Strict_does_not_affect_other_read_journals()
    {
        using var system = new ConfiguredSystem(Hocon.Journal("strict = on") + Hocon.Journal("", $"{Section}2"));
        system.Open();
        system.Open($"{Section}2");
    }

    [Fact]
    public async Task Without_a_section_the_used_defaults_are_logged()
    {
        using var system = new ConfiguredSystem(Written);
        system.Open();
        Assert.Equal(
            $"The configuration has no section '{Section}'. The read journal uses the defaults, and reads where the write plugin writes.",
            Assert.Single(await system.LoggedAsync()).Message.ToString());
    }

    [Fact]
    public void A_decoder_of_a_section_that_does_not_exist_is_refused()
    {
        using var system = new ConfiguredSystem(Hocon.Journal(id: "akka.persistence.query.journal.orders"));
        Assert.StartsWith(
            "There is no section 'akka.persistence.query.journal.oders' (is 'akka.persistence.query.journal.orders' meant?); it must be the id of a read journal. ",
            Assert.Throws<Akka.Configuration.ConfigurationException>(() => ThrottledReadJournal.PayloadDecoder(system.System, "akka.persistence.query.journal.oders")).Message,
            StringComparison.Ordinal);
    }

    private const string Written = """
        akka.persistence.journal {
          plugin = "akka.persistence.journal.sql"
          sql { class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql", connection-string = "Data Source=settings.db", provider-name = "SQLite.MS" }
        }
        """;
}
