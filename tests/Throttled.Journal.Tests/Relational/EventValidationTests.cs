using Throttled.Journal.Relational;

namespace Throttled.Journal.Tests.Relational;

public sealed class EventValidationTests
{
    [Theory]
    [InlineData("", 1, "t", "'PersistenceId' of event 2 (\"\" 1) is \"\"; it must not be empty.")]
    [InlineData("a\0b", 1, "t", "'PersistenceId' of event 2 (\"a\\u0000b\" 1) is \"a\\u0000b\"; it must not contain a NUL character, which no database can hold.")]
    [InlineData("a", 0, "t", "'SequenceNumber' of event 2 (\"a\") is 0; it must be at least 1.")]
    [InlineData("a", 7, "", "'Tags' of event 2 (\"a\" 7) has \"\"; it must not be empty.")]
    [InlineData("a", 7, "t\0", "'Tags' of event 2 (\"a\" 7) has \"t\\u0000\"; it must not contain a NUL character, which no database can hold.")]
    public void A_value_that_could_not_be_read_back_is_refused_with_its_event_and_field(string id, long number, string tag, string message)
    {
        foreach (var mode in Enum.GetValues<TagMode>())
            Assert.Equal(message, Refusal(new() { TagMode = mode }, Event(id, number, tag)));
    }

    [Fact]
    public void Half_of_a_surrogate_pair_is_refused_and_shown() => Assert.Equal(
        "'PersistenceId' of event 2 (\"a\\ud800\" 1) is \"a\\ud800\"; it must not contain half of a surrogate pair, which no database can hold.",
        Refusal(new(), Event("a\ud800", 1)));

    [Fact]
    public void A_separator_in_a_tag_is_refused_if_it_would_split_the_tag()
    {
        Assert.Equal(
            "'Tags' of event 2 (\"a\" 7) has \"a;b\"; it must not contain ';', which separates tags. Use another tag, or TagMode.TagTable.",
            Refusal(new() { TagMode = TagMode.Csv }, Event("a", 7, "a;b")));
        new EventValidation(new()).Check([Event("a", 7, "a;b")]);
        new EventValidation(new() { TagMode = TagMode.Csv, TagSeparator = ',' }).Check([Event("a", 7, "a;b"), Event("\U0001F600", 1)]);
    }

    private static string Refusal(JournalTables tables, JournalEvent second) =>
        Assert.Throws<ArgumentException>(() => new EventValidation(tables).Check([Event("x", 1), second])).Message;

    private static JournalEvent Event(string id, long number, params string[] tags) =>
        new() { PersistenceId = id, SequenceNumber = number, Payload = default, Tags = tags };
}
