using Akka.Persistence.Journal;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.WriteSide;

public abstract class TagsOn<TJournal>(ITestOutputHelper output) : WriteSideSpec<TJournal>(output)
    where TJournal : IWrittenJournal
{
    // Tags that LIKE, SQL text or a culture-sensitive comparison could confuse.
    private static readonly string[] Tags =
        ["red", "redder", "re", "r_d", "r%", "%", "_", "it's", "\"it\"", @"r\_d", "größe", "grosse", "Red", "赤", "🟥", "two words", "[r]ed", "a,b"];

    [Fact]
    public async Task A_query_delivers_its_tag_and_no_similar_one()
    {
        await PersistTaggedAsync("first");
        var readings = new Dictionary<string, LiveReading<EventEnvelope>>();
        foreach (var tag in Tags)
        {
            readings[tag] = Read(Journal.EventsByTag(tag, NoOffset.Instance));
            Assert.Equal([$"first {tag}"], Texts(await AllOfAsync(Journal.CurrentEventsByTag(tag, NoOffset.Instance))));
        }
        foreach (var reading in readings.Values)
            await reading.UntilAsync(1);
        // The last event comes after all events that a query could confuse with its own.
        await PersistTaggedAsync("second");

        foreach (var (tag, reading) in readings)
        {
            var events = await reading.UntilAsync(2);
            Assert.Equal([$"first {tag}", $"second {tag}"], Texts(events));
            Assert.All(events, each => Assert.Equal([tag], each.Tags));
            await reading.DisposeAsync();
        }
    }

    [Fact]
    public async Task An_event_with_several_tags_is_delivered_to_each_of_them_once()
    {
        await TellAsync("a", new Writer.Batch([new Tagged("both", ["red", "blue"]), new Tagged("blue", ["blue"]), new Tagged("none", [])]));

        var red = await AllOfAsync(Journal.CurrentEventsByTag("red", NoOffset.Instance));
        var blue = await AllOfAsync(Journal.CurrentEventsByTag("blue", NoOffset.Instance));

        Assert.Equal(["both"], Texts(red));
        Assert.Equal(["both", "blue"], Texts(blue));
        Assert.Equal(["blue", "red"], red[0].Tags.Order(StringComparer.Ordinal));
        Assert.Equal(["both", "blue", "none"], Texts(await AllOfAsync(Journal.CurrentAllEvents(NoOffset.Instance))));
    }

    private Task PersistTaggedAsync(string what) =>
        TellAsync("a", new Writer.Batch([.. Tags.Select(tag => new Tagged($"{what} {tag}", [tag]))]));
}
