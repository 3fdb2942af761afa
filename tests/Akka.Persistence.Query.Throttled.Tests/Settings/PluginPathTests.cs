using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>A section is recognised by its path, with any name and any origin.</summary>
public sealed class PluginPathTests
{
    private const string Orders = "akka.persistence.query.journal.orders";
    private const string Class = "Akka.Persistence.Query.Throttled.ThrottledReadJournalProvider, Akka.Persistence.Query.Throttled";

    [Theory]
    [InlineData(ThrottledReadJournal.Identifier)]
    [InlineData(Orders)]
    [InlineData("journals.of.orders")]
    [InlineData("orders")]
    public void An_error_names_the_section_as_it_was_written(string id)
    {
        using var system = new ConfiguredSystem(Hocon.Journal("burst = 0", id));
        Assert.Equal($"'{id}.burst' is 0; it must be at least 1.", system.Refusal(id).Message);
    }

    [Theory]
    [InlineData("akka.persistence.query.journal.above")]
    [InlineData("akka.persistence.query.journal.zero")]
    [InlineData("shared")]
    public void A_section_may_be_a_HOCON_substitution(string other)
    {
        using var system = new ConfiguredSystem($$"""
            {{Hocon.Journal("burst = 0", other)}}
            {{Orders}} = ${{{other}}}
            """);
        Assert.Equal($"'{Orders}.burst' is 0; it must be at least 1.", system.Refusal(Orders).Message);
        Assert.Equal($"'{other}.burst' is 0; it must be at least 1.", system.Refusal(other).Message);
    }

    [Fact]
    public void A_section_may_take_single_values_by_HOCON_substitution()
    {
        using var system = new ConfiguredSystem($$"""
            limits { burst = 0 }
            {{Orders}} { class = "{{Class}}", connection-string = "Data Source=x", provider-name = SQLite, burst = ${limits.burst} }
            """);
        Assert.Equal($"'{Orders}.burst' is 0; it must be at least 1.", system.Refusal(Orders).Message);
    }

    [Fact]
    public void A_section_may_be_merged_from_several_layers()
    {
        var upper = ConfigurationFactory.ParseString($"{Orders} {{ burst = 0, provider-name = SQLite }}");
        var middle = ConfigurationFactory.ParseString($"{Orders} {{ burst = 7, max-buffer-size = 3 }}");
        var lower = ConfigurationFactory.ParseString(Hocon.Journal("burst = 8", Orders));
        using var system = new ConfiguredSystem(upper.WithFallback(middle).WithFallback(lower));
        Assert.Equal($"'{Orders}.burst' is 0; it must be at least 1.", system.Refusal(Orders).Message);
    }

    [Theory]
    [InlineData("")]
    [InlineData("burst = 7")]
    public void A_section_is_found_after_another_plugin_has_added_its_defaults(string above)
    {
        var upper = ConfigurationFactory.ParseString($"{Orders} {{ {above} }}\nakka.loglevel = INFO");
        using var system = new ConfiguredSystem(upper.WithFallback(ConfigurationFactory.ParseString(Hocon.Journal("", Orders))));
        var section = system.System.Settings.Config.GetConfig(Orders);
        system.System.Settings.InjectTopLevelFallback("akka.persistence.query.journal.other.x = 1");
        system.System.Settings.InjectTopLevelFallback($"akka.persistence.journal.other.x = 1\n{Orders}.burst = 3");
        Assert.Equal(Orders, SettingsFile.Read(system.System, section).Single().PluginId);
    }

    [Fact]
    public void Equal_sections_are_distinguished()
    {
        using var system = new ConfiguredSystem(Hocon.Journal("", "first") + Hocon.Journal("", "second"));
        Assert.Equal("first", system.Open("first").Engine.Options.Name);
        Assert.Equal("second", system.Open("second").Engine.Options.Name);
    }

    [Fact]
    public void A_copy_of_a_section_is_recognised_by_its_plugin_id()
    {
        var text = Hocon.Journal($"plugin-id = \"{Orders}\"", Orders);
        using var system = new ConfiguredSystem(text);
        Assert.Equal(Orders, PathOf(system, ConfigurationFactory.ParseString(text).GetConfig(Orders)));
    }

    [Theory]
    [InlineData("akka.persistence.query.journal.sql")]
    [InlineData("akka.persistence.query.journal.nowhere")]
    public void A_section_with_the_plugin_id_of_another_is_recognised_by_its_own_path(string pluginId)
    {
        using var system = new ConfiguredSystem(
            Hocon.Journal($"plugin-id = \"{pluginId}\"", Orders)
            + $$"""

            akka.persistence.query.journal.sql {
              class = "Akka.Persistence.Sql.Query.SqlReadJournalProvider, Akka.Persistence.Sql"
              connection-string = "Data Source=settings.db"
              provider-name = "SQLite.MS"
              plugin-id = "{{pluginId}}"
            }
            """);
        Assert.Equal(Orders, PathOf(system, system.System.Settings.Config.GetConfig(Orders)));
    }

    [Fact]
    public void A_section_that_is_not_in_the_configuration_has_no_path()
    {
        using var system = new ConfiguredSystem(Hocon.Journal("", Orders));
        Assert.Null(PluginPath.Of(system.System.Settings.Config, ConfigurationFactory.ParseString("burst = 1")));
    }

    [Fact]
    public void A_section_needs_only_class_connection_string_and_provider_name()
    {
        using var system = new ConfiguredSystem($$"""
            mine { class = "{{Class}}", connection-string = "Data Source=x", provider-name = SQLite }
            """);
        // If the journal is requested by an interface, Akka.NET does not find our defaults.
        var journal = Assert.IsType<ThrottledReadJournal>(system.System.ReadJournalFor<IEventsByTagQuery>("mine"));
        Assert.Equal(
            new JournalOptions
            {
                Name = "mine",
                Tables = JournalTables.Default with { WriterUuidColumn = null },
                // The action of on-undecodable-event.
                OnLargePayload = LargePayloadAction.OmitPayload,
            },
            journal.Engine.Options with { LoggerFactory = null });
    }

    [Fact]
    public void Four_lines_are_enough()
    {
        using var system = new ConfiguredSystem($$"""
            {{ThrottledReadJournal.Identifier}} {
              connection-string = "Host=server;Database=app;Username=reader"
              provider-name = "PostgreSQL"
            }
            """);
        Assert.Equal(ThrottledReadJournal.Identifier, system.Open().Engine.Options.Name);
    }

    private static string PathOf(ConfiguredSystem system, Config section) => SettingsFile.Read(system.System, section).Single().PluginId;
}
