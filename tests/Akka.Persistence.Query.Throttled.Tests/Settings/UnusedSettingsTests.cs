using Akka.Event;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

public sealed class UnusedSettingsTests
{
    private const string Section = ThrottledReadJournal.Identifier;

    [Fact]
    public async Task Settings_of_others_are_named_once_at_Info()
    {
        using var system = Configuration.System("sql-migrated");
        system.Open();
        system.Open();
        var said = Assert.Single(await system.LoggedAsync());
        Assert.Equal(LogLevel.InfoLevel, said.LogLevel());
        Assert.Equal(
            $"These settings of '{Section}' belong to other plugins and have no effect here: journal-sequence-retrieval, query-throttle-timeout, read-isolation-level.",
            said.Message.ToString());
    }

    [Fact]
    public async Task Misspelt_settings_are_named_once_at_Warning()
    {
        using var system = new ConfiguredSystem(Hocon.Journal("""
            max-bufer-size = 3
            postgres { schema-name = x }
            default { journal { table = y, columns.event-id = z } }
            """));
        system.Open();
        system.Open();
        var said = Assert.Single(await system.LoggedAsync());
        Assert.Equal(LogLevel.WarningLevel, said.LogLevel());
        Assert.Equal(
            $"'{Section}' has settings that do not exist: default.journal.columns.event-id, default.journal.table, max-bufer-size, postgres. "
            + "Correct their names, or leave them out.",
            said.Message.ToString());
    }

    [Fact]
    public async Task Only_settings_that_do_not_exist_are_named()
    {
        using var system = new ConfiguredSystem(Hocon.Journal($$"""
            plugin-id = "{{Section}}"
            table-compatibility-mode = null
            postgresql.tag.table-name = labels
            sqlserver.schema-name = sales
            burts = 7
            """, "mine"));
        system.Open("mine");
        Assert.EndsWith("do not exist: burts. Correct their names, or leave them out.", Assert.Single(await system.LoggedAsync("mine")).Message.ToString(), StringComparison.Ordinal);
    }
}
