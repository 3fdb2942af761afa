using System.Text.RegularExpressions;

namespace Throttled.Conventions;

/// <summary>One thing has one name. The glossary lists the words that must not come back, each with the word to use.</summary>
public sealed partial class VocabularyTests
{
    private const string Glossary = "docs/glossary.md";

    [Fact]
    public void Replaced_words_do_not_come_back()
    {
        var words = Replaced().ToList();
        Assert.True(words.Count > 20, "The glossary's table of replaced words was not found.");
        var any = new Regex(string.Join('|', words.Select(each => $@"\b{each.Word}\b")), RegexOptions.Compiled);
        Offences.None(
            "These words were replaced:",
            from file in Repository.TrackedFiles().Where(IsRead)
            // The name of the file, too.
            from line in Repository.Lines(file).Prepend(file).Index()
            let spelled = InWords(line.Item)
            from found in any.Matches(spelled).Select(match => match.Value)
            let but = words.First(each => each.Word == found).But
            select $"{file}:{line.Index}: \"{found}\"; use {but}");
    }

    [Theory]
    [InlineData("KeysPerLook", "keys per look")]
    [InlineData("SQLText", "sql text")]
    [InlineData("on-stalled-head = give_up", "on stalled head = give up")]
    public void A_name_is_read_as_words(string name, string words) => Assert.Equal(words, InWords(name));

    private static IEnumerable<(string Word, string But)> Replaced() =>
        from line in Repository.Lines(Glossary).SkipWhile(each => each != "## Replaced words").TakeWhile(each => each != "## Sources")
        let cells = line.Split('|', StringSplitOptions.TrimEntries)
        where cells.Length == 4 && cells[1] is not ("not" or "---")
        from word in cells[1].Split(", ")
        select (word, cells[2]);

    // The approved texts of exceptions and SQL are checked where they are made.
    private static bool IsRead(string file) =>
        (file.StartsWith("src/", StringComparison.Ordinal) || file.StartsWith("docs/", StringComparison.Ordinal) || file == "README.md")
        && file != Glossary && Path.GetExtension(file) is ".cs" or ".md" or ".conf" or ".sql" or ".txt";

    private static string InWords(string line) => Separator().Replace(Hump().Replace(line, " "), " ").ToLowerInvariant();

    [GeneratedRegex("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")]
    private static partial Regex Hump();

    [GeneratedRegex("[_-]")]
    private static partial Regex Separator();
}
