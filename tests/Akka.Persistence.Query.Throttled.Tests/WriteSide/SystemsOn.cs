using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Streams;
using Akka.Streams.Dsl;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.WriteSide;

public abstract class SystemsOn<TJournal>(ITestOutputHelper output) : WriteSideSpec<TJournal>(output)
    where TJournal : IWrittenJournal
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_query_continues_from_its_offset_in_a_new_system_without_loss_or_doubling(bool byTag)
    {
        await PersistAsync("a", "1", "2", "3");
        await PersistAsync("b", "4", "5", "6");
        List<string> projected = [];
        Offset offset = NoOffset.Instance;
        // The query stops in the middle of a page, then twice at the end of the journal.
        foreach (var (count, later) in new[] { (2, "7"), (5, "8"), (1, "9") })
        {
            var system = NewSystem();
            var journal = WrittenJournal.OpenBeside(system);
            var query = byTag ? journal.EventsByTag(Tag, offset) : journal.AllEvents(offset);
            var events = await query.Take(count).RunWith(Sink.Seq<EventEnvelope>(), system.Materializer()).WithinAsync("events after the offset");
            projected.AddRange(Texts(events));
            offset = Offset.Sequence(((Sequence)events[^1].Offset).Value);
            await system.Terminate().WithinAsync("the end of a system");
            await PersistAsync("a", later);
        }

        Assert.Equal(["1", "2", "3", "4", "5", "6", "7", "8"], projected);
        Assert.Equal(["9"], Texts(await AllOfAsync(byTag ? Journal.CurrentEventsByTag(Tag, offset) : Journal.CurrentAllEvents(offset))));
    }

    [Fact]
    public async Task Two_systems_that_write_and_read_one_journal_see_the_same_events_in_the_same_order()
    {
        var other = NewSystem();
        var journal = WrittenJournal.OpenBeside(other);
        await using var here = Read(Journal.AllEvents(NoOffset.Instance));
        var there = LiveReading.Of(journal.AllEvents(NoOffset.Instance).RunAsAsyncEnumerable(other.Materializer()));
        await PersistAsync("first", "0");

        await Task.WhenAll(WriteAsync(Sys, "here"), WriteAsync(other, "there"));

        var (seenHere, seenThere) = (await here.UntilAsync(21), await there.UntilAsync(21));
        Assert.Equal(Keys(seenHere), Keys(seenThere));
        foreach (var id in (string[])["here", "there"])
            Assert.Equal(Enumerable.Range(1, 10).Select(n => (long)n), Numbers(seenHere.Where(each => each.PersistenceId == id)));
        // Disposed before its system: a reader of a stream may wait forever if the stream's system stops.
        await there.DisposeAsync();
        await other.Terminate().WithinAsync("the end of the other system");
    }

    private static async Task WriteAsync(ActorSystem system, string id)
    {
        for (var n = 1; n <= 5; n++)
            await PersistAsync(system, id, $"{n}", $"{n}");
    }

    private static IEnumerable<string> Keys(IEnumerable<EventEnvelope> events) => events.Select(each => $"{each.PersistenceId}/{each.SequenceNr}");
}
