using System.Text.RegularExpressions;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

public sealed partial class SettingNamesTests
{
    private static readonly SettingNames Names = new("journals.mine", "sql-server");

    [Theory]
    [InlineData("'RequireTable' makes them fail", "'journals.mine.require-table' makes them fail")]
    [InlineData("'TagMode' is Csv and 'TagsColumn' is x", "'journals.mine.tag-read-mode' is Csv and 'journals.mine.sql-server.journal.columns.tags' is x")]
    [InlineData("'JournalTable' or 'Schema'", "'journals.mine.sql-server.journal.table-name' or 'journals.mine.sql-server.schema-name'")]
    [InlineData("set 'OnLargePayload' to Skip", "set 'journals.mine.on-undecodable-event' to Skip")]
    [InlineData("('CurrentQueryTimeout')", "('journals.mine.current-query-timeout')")]
    public void Option_names_in_messages_become_keys(string engine, string plugin) => Assert.Equal(plugin, Names.Translate(engine));

    [Theory]
    [InlineData("the events with the tag 'Notify' are not there")]
    [InlineData("the events of 'Schema' are not there")]
    [InlineData("'Data Source' in the connection string is \"x\"")]
    [InlineData("'Host' is missing")]
    [InlineData("the writer 'Name' of 'Tables'")]
    [InlineData("RequireTable without quotes")]
    public void Other_words_in_messages_are_kept(string message) => Assert.Equal(message, Names.Translate(message));

    // An option without quotes, or with another name, would not be translated.
    [Fact]
    public void Every_option_in_a_message_of_the_engine_is_in_quotes()
    {
        var options = typeof(JournalOptions).GetProperties().Concat(typeof(JournalTables).GetProperties())
            // Options of one word are also English words, and TagTable is also a value of TagMode.
            .Select(each => each.Name).Where(name => name.Count(char.IsUpper) > 1 && name != nameof(TagMode.TagTable)).ToHashSet();
        var offences = from file in Sources()
                       from line in File.ReadLines(file)
                       where !file.EndsWith("EventValidation.cs", StringComparison.Ordinal) // Messages of appenders, which the plugin does not use.
                       where !line.TrimStart().StartsWith("//", StringComparison.Ordinal)
                       from text in Literal().Matches(line)
                       from word in Word().Matches(Hole().Replace(text.Value, ""))
                       where options.Contains(word.Value)
                       select $"{Path.GetFileName(file)}: {line.Trim()}";
        Assert.Empty(offences);
    }

    private static IEnumerable<string> Sources()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(folder.FullName, "Throttled.slnf")))
            folder = folder.Parent ?? throw new InvalidOperationException("No folder above the tests holds the solution.");
        var source = Path.Combine(folder.FullName, "src");
        var files = Directory.GetDirectories(source, "Throttled.Journal*").SelectMany(project => Directory.GetFiles(project, "*.cs", SearchOption.AllDirectories))
            .Where(file => !file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal)).ToList();
        Assert.Contains(files, file => file.EndsWith("JournalLog.cs", StringComparison.Ordinal));
        return files;
    }

    [GeneratedRegex("\"(?:[^\"\\\\]|\\\\.)*\"")]
    private static partial Regex Literal();

    [GeneratedRegex(@"\{[^{}]*\}")]
    private static partial Regex Hole();

    [GeneratedRegex(@"(?<!['\w])[A-Z]\w+(?!['\w])")]
    private static partial Regex Word();
}
