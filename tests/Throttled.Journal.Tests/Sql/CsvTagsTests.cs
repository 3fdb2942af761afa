using Throttled.Journal.Sql;

namespace Throttled.Journal.Tests.Sql;

public sealed class CsvTagsTests
{
    [Theory]
    [InlineData("")]
    [InlineData(";blue;", "blue")]
    [InlineData(";blue;green;", "blue", "green")]
    [InlineData("blue;green", "blue", "green")]
    [InlineData(";;")]
    public void Tags_stand_between_separators(string column, params string[] tags) => Assert.Equal(tags, CsvTags.Parse(column, ';'));

    [Fact]
    public void What_was_formatted_is_parsed_to_the_same()
    {
        string[] tags = ["blue", "dark green"];
        Assert.Equal(",blue,dark green,", CsvTags.Format(tags, ','));
        Assert.Equal(tags, CsvTags.Parse(CsvTags.Format(tags, ','), ','));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a;b")]
    public void A_tag_that_would_be_parsed_to_another_is_refused_and_named(string tag)
    {
        JournalEvent[] events = [Tagged(1), Tagged(2, "blue", tag)];

        var error = Assert.Throws<ArgumentException>(() => CsvTags.Check(events, ';'));

        Assert.StartsWith($"Tag \"{tag}\" of 'id' 2 cannot stand between ';'", error.Message, StringComparison.Ordinal);
        CsvTags.Check([Tagged(1), Tagged(2, "blue", "a,b")], ';');
    }

    [Fact]
    public void No_tags_are_an_empty_column() => Assert.Equal("", CsvTags.Format([], ';'));

    private static JournalEvent Tagged(long number, params string[] tags) =>
        new() { PersistenceId = "id", SequenceNumber = number, Payload = default, Tags = tags };
}
