using Throttled.Journal.Relational;

namespace Throttled.Journal.Tests.Relational;

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
    public void Formatted_tags_parse_to_the_same_tags()
    {
        string[] tags = ["blue", "dark green"];
        Assert.Equal(",blue,dark green,", CsvTags.Format(tags, ','));
        Assert.Equal(tags, CsvTags.Parse(CsvTags.Format(tags, ','), ','));
    }

    [Fact]
    public void No_tags_are_an_empty_column() => Assert.Equal("", CsvTags.Format([], ';'));
}
