using Throttled.Journal.Database;

namespace Throttled.Journal.Tests.Database;

public sealed class DriverMessagesTests
{
    [Theory]
    [InlineData("No such keyword (Parameter 'colour')", "No such keyword (Parameter 'colour').")]
    [InlineData("It failed.", "It failed.")]
    [InlineData("It failed\r\nfor this.\n", "It failed for this.")]
    [InlineData("Not supported. See https://example.org/help?id=1", "Not supported.")]
    [InlineData("Not supported. For more information, see https://example.org/help. (Parameter 'key')", "Not supported. (Parameter 'key').")]
    [InlineData("Not supported. For a possible alternative, see https://example.org/help?id=2.", "Not supported.")]
    [InlineData("Not supported. See https://example.org/help (Parameter 'key')", "Not supported. (Parameter 'key').")]
    public void A_drivers_message_is_a_sentence_without_links(string message, string sentence) =>
        Assert.Equal(sentence, DriverMessages.SentenceOf(message));
}
