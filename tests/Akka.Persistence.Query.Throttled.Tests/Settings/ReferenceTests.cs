using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using SqlPersistence = Akka.Persistence.Sql.SqlPersistence;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

public sealed class ReferenceTests(ReferenceTests.Sections sections) : IClassFixture<ReferenceTests.Sections>
{
    private static readonly string[] Layouts = ["default", "sqlite", "postgresql", "sql-server", "sqlserver", "mysql"];

    // This is neither a number nor a duration nor a name.
    private const string Garbage = "?";

    public static TheoryData<string> Keys => [.. Names];

    public static TheoryData<string, JournalTables> Presets => new()
    {
        { "default", JournalTables.Default },
        { "sqlite", JournalTables.Sqlite },
        { "postgresql", JournalTables.PostgreSql },
        { "sql-server", JournalTables.SqlServer },
        { "sqlserver", JournalTables.SqlServer },
        { "mysql", JournalTables.MySql },
    };

    [Fact]
    public void Defaults_are_those_of_the_engine() => Assert.Equal(
        new JournalOptions { Name = ThrottledReadJournal.Identifier, Tables = JournalTables.Default with { WriterUuidColumn = null } },
        ConfiguredSystem.Settings(Hocon.Journal()).Options);

    [Theory]
    [MemberData(nameof(Presets))]
    public void A_layout_is_that_of_the_engine_with_tags_in_a_table(string layout, JournalTables tables) => Assert.Equal(
        tables with { WriterUuidColumn = null, TagMode = TagMode.TagTable },
        ConfiguredSystem.Settings(Hocon.Journal($"table-mapping = {layout}")).Options.Tables);

    [Fact]
    public void Layouts_are_those_of_Akka_Persistence_Sql()
    {
        foreach (var layout in Layouts)
        {
            // Read by Akka.Persistence.Sql itself.
            var theirs = SqlPersistence.DefaultJournalConfiguration.GetConfig(layout).SafeWithFallback(SqlPersistence.DefaultJournalMappingConfiguration);
            var ours = SettingsFile.Defaults.GetConfig(layout);
            Assert.All(Hocon.Leaves(ours), key => Assert.Equal(theirs.GetString(key) ?? "", ours.GetString(key)));
        }
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void Every_key_is_read(string key)
    {
        var (before, after) = Differ(key);
        if (Record.Exception(() => sections.Read(after)) is { } refused)
            Assert.StartsWith($"'{sections.IdOf(after)}.{key}' is \"{Garbage}\"; it must be ", refused.Message, StringComparison.Ordinal);
        else
            Assert.NotEqual(Shown(sections.Read(before)), Shown(sections.Read(after)));
    }

    [Fact]
    public void Every_option_has_its_key()
    {
        var names = new SettingNames("journal", "default");
        string[] withoutKey = [nameof(JournalOptions.Name), nameof(JournalOptions.Tables), nameof(JournalOptions.LoggerFactory), nameof(JournalOptions.TimeProvider)];
        var options = typeof(JournalOptions).GetProperties().Select(each => each.Name).Except(withoutKey)
            .Concat(typeof(JournalTables).GetProperties().Where(each => each.CanWrite && each.Name != nameof(JournalTables.WriterUuidColumn)).Select(each => each.Name))
            .ToList();
        Assert.Contains(nameof(JournalOptions.TailMaxLag), options);
        Assert.Contains(nameof(JournalTables.TagSeparator), options);
        Assert.All(options, option => Assert.True(SettingsFile.Defaults.HasPath(names.Of(option)["journal.".Length..]), option));
    }

    [Fact]
    public void Every_setting_has_a_comment_before_it()
    {
        using var resource = typeof(ThrottledReadJournal).Assembly.GetManifestResourceStream("Akka.Persistence.Query.Throttled.reference.conf")!;
        var lines = new StreamReader(resource).ReadToEnd().Split('\n');
        // Settings that are indented by two spaces. A line without a comment belongs to the setting above.
        var first = lines.Index().Where(line => System.Text.RegularExpressions.Regex.IsMatch(line.Item, "^  [a-z-]+ = [^$]"))
            .Where(line => lines[line.Index - 1].Trim().Length == 0);
        Assert.Empty(first.Select(line => line.Item));
    }

    private static IEnumerable<string> Names => Hocon.Leaves(SettingsFile.Defaults).Where(key => key is not ("class" or "plugin-id" or "write-plugin"));

    private static (string Before, string After) Differ(string key)
    {
        var layout = key.Split('.')[0];
        var before = Layouts.Contains(layout) ? $"table-mapping = {layout}" : key == "cluster.role" ? "cluster.max-concurrent-queries = 1" : "";
        return (before, $"{before}\n{key} = \"{Garbage}\"");
    }

    // Without the name, which is the path of the section and always differs.
    private static string Shown(JournalSettings settings) =>
        $"{settings.Options with { Name = "" }} {settings.Database} {settings.ConnectionString} {settings.Serializer} {settings.IsStoredAsJson} {settings.OnUndecodableEvent} {settings.Cluster?.Role}";

    public sealed class Sections() : SectionedSystem(Names.Select(Differ).SelectMany(each => new[] { each.Before, each.After }));
}
