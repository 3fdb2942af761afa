using System.Globalization;
using System.Reflection;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled;
using Akka.Persistence.Query.Throttled.Cluster;
using Akka.Persistence.Query.Throttled.Hosting;
using Throttled.Journal;
using Throttled.Projections;

namespace Throttled.Conventions.Reference;

/// <summary>The pages list every setting, with the default that the code has.</summary>
public sealed class SettingTests
{
    private const string Page = "docs/operating/settings.md";

    // Their defaults depend on other settings or on the machine, and the page says how.
    private static readonly string[] Described =
        ["GapMinAge", "Tables", "LoggerFactory", "TimeProvider", "Decoder", "ProcessName", "Source", "LaneOwnership", "Message", "OrderedBy", "Role", "JournalId", "Name"];

    private static readonly IReadOnlyDictionary<string, string> Documented = ByName(
        PageTable.Rows(Page, "option", "HOCON key", "default").Select(row => (row[0], row[2]))
            .Concat(PageTable.Rows(Page, "option", "default").Select(row => (row[0], row[1]))));

    private static readonly Config Reference = ConfigurationFactory.ParseString(string.Join('\n', Repository.Lines("src/Akka.Persistence.Query.Throttled/reference.conf")))
        .GetConfig("akka.persistence.query.journal.throttled");

    [Fact]
    public void Options_of_the_engine_have_their_defaults() => HasDefaults(Documented, new JournalOptions());

    [Fact]
    public void Options_of_projections_have_their_defaults() => HasDefaults(Documented, new ProjectionOptions { Name = "" });

    [Fact]
    public void Options_of_the_feed_have_their_defaults() => HasDefaults(DocumentedIn("docs/cluster-feed.md", "option", "default"), new ThrottledFeedOptions());

    [Fact]
    public void Options_of_the_feed_to_entities_have_their_defaults() => HasDefaults(Documented, new EntityHandlerOptions<SettingTests>());

    [Fact]
    public void Options_of_daemons_have_their_defaults() => HasDefaults(DocumentedIn("docs/cluster-daemons.md", "what", "default"), new ProjectionDaemonOptions());

    [Theory]
    [InlineData(typeof(ThrottledReadJournalOptions))]
    [InlineData(typeof(ShardedJournalOptions))]
    public void Options_of_hosting_have_a_row(Type options)
    {
        var known = Documented.Keys.Concat(PageTable.Rows(Page, "option (hosting)").Concat(PageTable.Rows(Page, "option (ShardedJournalOptions)")).Select(row => row[0]))
            .Select(name => name.Split(' ')[0]).ToHashSet(StringComparer.Ordinal);
        var text = string.Join('\n', Repository.Lines(Page));
        Offences.None(
            $"{Page} has no row for this option:",
            from property in options.GetProperties(BindingFlags.Instance | BindingFlags.Public | BindingFlags.DeclaredOnly)
            where property.SetMethod?.IsPublic == true && !known.Contains(property.Name) && !text.Contains($"`{property.Name}`", StringComparison.Ordinal)
            select property.Name);
    }

    [Fact]
    public void Columns_and_tables_have_their_defaults() => HasDefaults(
        ByName(PageTable.Rows(Page, "JournalTables", "HOCON, below the layout", "default").Select(row => (row[0], row[2]))), JournalTables.Default);

    [Fact]
    public void Each_HOCON_key_has_a_row_with_its_default()
    {
        var rows = PageTable.Rows(Page, "option", "HOCON key", "default").Concat(PageTable.Rows(Page, "option (hosting)", "HOCON key", "default"))
            .Where(row => row[1] is not "none" && !row[1].StartsWith('<')).ToDictionary(row => row[1], row => row[2]);
        var layouts = new[] { "default", "sqlite", "postgresql", "sql-server", "sqlserver", "mysql", "cluster" };
        var keys = Reference.Root.GetObject().Items.Keys.Except(layouts).ToList();
        Assert.Equal(keys.Append("table-compatibility-mode").Order(StringComparer.Ordinal), rows.Keys.Order(StringComparer.Ordinal));
        Offences.None(
            $"{Page} has another default than reference.conf:",
            from key in keys
            let value = Reference.GetValue(key)
            where value.IsString() && value.GetString() is { Length: > 0 } text && key is not "class" && !IsDefault(rows[key], text)
            select $"{key}: {rows[key]}, but {value.GetString()}");
    }

    [Fact]
    public void The_keys_of_the_budget_have_their_defaults()
    {
        var rows = DocumentedIn("docs/cluster-budget.md", "HOCON key", "default");
        Offences.None(
            "docs/cluster-budget.md has another default than reference.conf:",
            from key in Reference.GetConfig("cluster").Root.GetObject().Items.Keys
            let value = Reference.GetConfig("cluster").GetString(key)
            where !rows.TryGetValue($"cluster.{key}", out var cell) || cell != (value.Length == 0 ? "empty" : value)
            select key);
    }

    private static void HasDefaults(IReadOnlyDictionary<string, string> rows, object options) => Offences.None(
        $"The page has no row with this default of {options.GetType().Name}:",
        from property in options.GetType().GetProperties(BindingFlags.Instance | BindingFlags.Public)
        where property.SetMethod?.IsPublic == true
        let value = TextOf(property.GetValue(options))
        where !rows.TryGetValue(property.Name, out var cell) || !(Described.Contains(property.Name) || IsDefault(cell, value))
        select $"{property.Name}: {value}");

    // "none, `off`", "100,000", "8 s; above 0 and below …"
    private static bool IsDefault(string cell, string value) =>
        cell == value || cell.StartsWith($"{value}, ", StringComparison.Ordinal) || cell.StartsWith($"{value}; ", StringComparison.Ordinal)
        || cell.EndsWith($", {value}", StringComparison.Ordinal)
        || Compact(cell) == value;

    // "64 MiB" is 64MiB in HOCON, and "10,000" is 10000.
    private static string Compact(string cell) => cell.Replace(" ", "", StringComparison.Ordinal).Replace(",", "", StringComparison.Ordinal);

    private static string TextOf(object? value) => value switch
    {
        null => "none",
        bool isOn => isOn ? "on" : "off",
        TimeSpan time => time switch
        {
            { TotalSeconds: < 1 } => FormattableString.Invariant($"{time.TotalMilliseconds} ms"),
            _ => FormattableString.Invariant($"{time.TotalSeconds} s"),
        },
        long and >= 1024 * 1024 and var bytes => FormattableString.Invariant($"{bytes / 1024 / 1024} MiB"),
        IFormattable number => number.ToString(value is Enum ? null : "N0", CultureInfo.InvariantCulture),
        _ => value.ToString()!,
    };

    private static IReadOnlyDictionary<string, string> DocumentedIn(string page, params string[] columns) => ByName(PageTable.Rows(page, columns).Select(row => (row[0], row[1])));

    private static Dictionary<string, string> ByName(IEnumerable<(string Name, string Default)> rows) =>
        rows.GroupBy(row => row.Name).ToDictionary(group => group.Key, group => group.First().Default, StringComparer.Ordinal);
}
