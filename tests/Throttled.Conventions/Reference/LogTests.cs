using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging;

namespace Throttled.Conventions.Reference;

/// <summary>An id means one message, whatever package logs it, and one table lists all of them.</summary>
public sealed partial class LogTests
{
    private const string Page = "docs/operating/log.md";

    private static readonly IReadOnlyList<(string Package, LoggerMessageAttribute Entry)> Messages =
    [
        .. from package in Repository.Packages
           from type in Repository.AssemblyOf(package).GetTypes()
           from method in type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
           let entry = method.GetCustomAttribute<LoggerMessageAttribute>()
           where entry is not null
           select (package, entry),
    ];

    [Fact]
    public void An_id_is_unique_over_all_packages()
    {
        Assert.True(Messages.Count > 60, "The log messages were not found.");
        Offences.None(
            "Two messages have this id:",
            Messages.GroupBy(each => each.Entry.EventId).Where(group => group.Count() > 1).Select(group => $"{group.Key}: {string.Join(", ", group.Select(each => each.Package))}"));
    }

    [Fact]
    public void The_ids_of_a_package_have_a_range_of_their_own()
    {
        Offences.None(
            "This id is not in the range of its package:",
            from each in Messages
            let first = each.Package switch { "Throttled.Journal" => 1, "Throttled.Projections" => 101, "Akka.Persistence.Query.Throttled.Cluster" => 201, "Throttled.AspNetCore" => 301, _ => int.MaxValue }
            where each.Entry.EventId < first || each.Entry.EventId > first + 98
            select $"{each.Package}: {each.Entry.EventId}");
    }

    [Fact]
    public void The_table_has_each_message_with_its_level() => Assert.Equal(
        Messages.OrderBy(each => each.Entry.EventId).Select(each => $"{each.Entry.EventId} | {TextOf(each.Entry)}"),
        Table().Select(row => $"{row[0]} | {row[2]}"));

    [Fact]
    public void The_table_has_the_levels()
    {
        var rows = Table().ToDictionary(row => row[0], row => row[1]);
        Offences.None(
            "The table has another level:",
            from each in Messages
            where each.Entry.Level != LogLevel.None && rows[$"{each.Entry.EventId}"] != $"{each.Entry.Level}"
            select $"{each.Entry.EventId}: {each.Entry.Level}");
    }

    [Fact]
    public void The_other_table_has_each_message_without_an_id()
    {
        var logs = new[] { "src/Akka.Persistence.Query.Throttled/Diagnostics/PluginLog.cs", "src/Akka.Persistence.Sharded/ShardedJournalLog.cs" };
        var written = logs.SelectMany(file => Logged().Matches(string.Join('\n', Repository.Lines(file))))
            .Select(match => $"{LevelOf(match.Groups[1].Value)} | {match.Groups[2].Value.Replace("\\\"", "\"", StringComparison.Ordinal)}");
        Assert.Equal(
            written.Order(StringComparer.Ordinal),
            PageTable.Rows(Page, "level", "message", "action").Select(row => $"{row[0]} | {row[1]}").Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("docs/operating/runbook.md")]
    [InlineData("docs/operating/log.md")]
    public void A_message_that_is_quoted_with_its_id_has_this_text(string page)
    {
        var texts = Messages.ToDictionary(each => $"{each.Entry.EventId}", each => TextOf(each.Entry));
        Offences.None(
            "The message has another text:",
            from quote in Repository.Lines(page).SelectMany(line => Quote().Matches(line)).Select(match => (Id: match.Groups[1].Value, Text: match.Groups[2].Value))
                .Concat(PageTable.Rows(page, "id", "message").Select(row => (Id: row[0], Text: row[1])))
            where !texts.TryGetValue(quote.Id, out var text) || !IsPartOf(text, quote.Text)
            select $"{quote.Id}: {quote.Text}");
    }

    private static IReadOnlyList<string[]> Table() => PageTable.Rows(Page, "id", "level", "message", "action");

    private static string TextOf(LoggerMessageAttribute entry) => Format().Replace(entry.Message, "}");

    private static string LevelOf(string method) => method == "Info" ? "Information" : method;

    // "…" stands for any text. Some texts are written in the place of "{Warning}".
    private static bool IsPartOf(string text, string quote) =>
        text == "{Warning}" || Regex.IsMatch(text, string.Join(".*", quote.Split('…').Select(Regex.Escape)), RegexOptions.Singleline);

    [GeneratedRegex(@":[0.]+\}")]
    private static partial Regex Format();

    // "7 `A query has waited…`"
    [GeneratedRegex(@"(?<![\w.,-])(\d{1,3}) `([^`]*(?:\{|…|\. |\w{4,} \w+ \w+)[^`]*)`")]
    private static partial Regex Quote();

    [GeneratedRegex(@"log\.(Warning|Info|Error|Debug)\(\s*(?:error, )?\s*""((?:[^""\\]|\\.)+)""", RegexOptions.Singleline)]
    private static partial Regex Logged();
}
