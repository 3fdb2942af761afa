using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Streams.Dsl;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.WriteSide;

public abstract class PersistingOn<TJournal>(ITestOutputHelper output) : WriteSideSpec<TJournal>(output)
    where TJournal : IWrittenJournal
{
    [Fact]
    public async Task Live_queries_that_wait_for_the_tables_deliver_later_events()
    {
        // The first entity starts the write plugin, which creates the tables.
        List<LiveReading<EventEnvelope>> readings = [];
        LiveReading<string> ids = null!;
        await EventFilter.Info(contains: "is not there").ExpectOneAsync(() =>
        {
            readings.AddRange(Live("a").Select(Read));
            ids = Read(Journal.PersistenceIds());
            return Task.CompletedTask;
        });

        await PersistAsync("a", "one");
        await PersistAsync("a", "two");

        foreach (var reading in readings)
        {
            var events = await reading.UntilAsync(2);
            Assert.Equal(["one", "two"], Texts(events));
            Assert.All(events, each => Assert.Equal([Tag], each.Tags));
            await reading.DisposeAsync();
        }
        Assert.Equal(["a"], await ids.UntilAsync(1));
        await ids.DisposeAsync();
    }

    [Fact]
    public async Task Batches_of_several_pages_arrive_whole_and_in_order()
    {
        var readings = Live("a").Select(Read).ToList();
        var first = Enumerable.Range(1, 10).Select(n => $"{n}").ToArray();
        var second = Enumerable.Range(11, 17).Select(n => $"{n}").ToArray();

        await PersistAsync("a", first);
        foreach (var query in Current("a"))
            Assert.Equal(first, Texts(await AllOfAsync(query)));
        await PersistAsync("a", second);

        foreach (var reading in readings)
        {
            Assert.Equal([.. first, .. second], Texts(await reading.UntilAsync(27)));
            await reading.DisposeAsync();
        }
    }

    [Fact]
    public async Task An_event_has_the_same_offset_in_every_query()
    {
        await PersistAsync("a", "one", "two");
        var offsets = new List<Offset[]>();
        foreach (var query in (Source<EventEnvelope, NotUsed>[])[.. Current("a"), .. Live("a").Select(each => each.Take(2))])
            offsets.Add([.. (await AllOfAsync(query)).Select(each => each.Offset)]);

        Assert.All(offsets, each => Assert.Equal(offsets[0], each));
        Assert.Equal(2, offsets[0].Distinct().Count());
    }

    [Fact]
    public async Task A_current_query_delivers_all_earlier_events_in_order()
    {
        await PersistAsync("a", "0");
        var persisted = 1;
        var writing = Task.Run(async () =>
        {
            for (var n = 1; n <= 20; n++)
            {
                await PersistAsync("a", $"{n}", $"{n}");
                Interlocked.Add(ref persisted, 2);
            }
        });
        do
        {
            foreach (var query in Current("a"))
            {
                var least = Volatile.Read(ref persisted);
                var numbers = Numbers(await AllOfAsync(query));
                Assert.InRange(numbers.Count, least, 41);
                Assert.Equal(Enumerable.Range(1, numbers.Count).Select(n => (long)n), numbers);
            }
        }
        while (!writing.IsCompleted);
        await writing;
        Assert.Equal(41, Volatile.Read(ref persisted));
    }

    [Fact]
    public async Task Snapshots_are_not_delivered_and_hide_no_event()
    {
        var readings = Live("a").Select(Read).ToList();
        await PersistAsync("a", "one", "two");
        await TellAsync("a", new Writer.TakeSnapshot());
        await PersistAsync("a", "three");

        foreach (var query in Current("a"))
            Assert.Equal(["one", "two", "three"], Texts(await AllOfAsync(query)));
        Assert.Equal(["a"], await AllOfAsync(Journal.CurrentPersistenceIds()));
        foreach (var reading in readings)
        {
            Assert.Equal(["one", "two", "three"], Texts(await reading.UntilAsync(3)));
            await reading.DisposeAsync();
        }
    }

    [Fact]
    public async Task Events_that_are_read_without_the_read_journal_are_decoded_equally()
    {
        await PersistAsync("a", "one", "two");
        await TellAsync("b", new Writer.Batch([new Opened("Ada", 7, 1.5m, new List<int> { 1, 2 }), new byte[] { 1, 2 }]));

        var decode = ThrottledReadJournal.PayloadDecoder(Sys);
        List<object?> decoded = [];
        await foreach (var stored in new JournalReader(Journal.Engine).CurrentAllEvents())
            decoded.Add(decode(stored));

        var envelopes = await AllOfAsync(Journal.CurrentAllEvents(NoOffset.Instance));
        Assert.Equal(4, decoded.Count);
        Assert.Equivalent(envelopes.Select(each => each.Event), decoded, strict: true);
    }

    internal sealed record Opened(string Owner, int Number, decimal Balance, IReadOnlyList<int> Limits);
}
