using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.WriteSide;

/// <summary>Akka.Persistence.Sql keeps the last deleted row and marks it. The older plugins keep none.</summary>
public abstract class DeletionsOn<TJournal>(ITestOutputHelper output) : WriteSideSpec<TJournal>(output)
    where TJournal : IWrittenJournal
{
    [Fact]
    public async Task Deleted_events_are_not_delivered_and_later_ones_are()
    {
        await PersistAsync("a", "1", "2", "3", "4", "5", "6");
        await TellAsync("a", new Writer.DeleteTo(4));

        foreach (var query in Current("a"))
            Assert.Equal([5, 6], Numbers(await AllOfAsync(query)));
        var readings = Live("a").Select(Read).ToList();
        foreach (var reading in readings)
            Assert.Equal([5, 6], Numbers(await reading.UntilAsync(2)));
        await PersistAsync("a", "7");

        foreach (var reading in readings)
        {
            Assert.Equal([5, 6, 7], Numbers(await reading.UntilAsync(3)));
            await reading.DisposeAsync();
        }
    }

    [Fact]
    public async Task An_entity_whose_events_are_all_deleted_is_empty_until_it_persists_again()
    {
        await PersistAsync("a", "1", "2", "3");
        var readings = Live("a").Select(Read).ToList();
        foreach (var reading in readings)
            await reading.UntilAsync(3);
        await TellAsync("a", new Writer.DeleteTo(long.MaxValue));

        foreach (var query in Current("a"))
            Assert.Empty(await AllOfAsync(query));
        Assert.Empty(await AllOfAsync(Journal.CurrentPersistenceIds()));
        readings.AddRange(Live("a").Select(Read));
        await PersistAsync("a", "4");

        // The queries that ran before have got three more events.
        foreach (var (index, reading) in readings.Index())
        {
            var events = await reading.UntilAsync(index < 3 ? 4 : 1);
            Assert.Equal(index < 3 ? [1, 2, 3, 4] : [4], Numbers(events));
            await reading.DisposeAsync();
        }
        Assert.Equal(["a"], await AllOfAsync(Journal.CurrentPersistenceIds()));
    }

    [Fact]
    public async Task A_live_query_up_to_a_deleted_event_ends()
    {
        await PersistAsync("a", "1", "2", "3", "4");
        await TellAsync("a", new Writer.DeleteTo(3));

        Assert.Empty(await AllOfAsync(Journal.EventsByPersistenceId("a", 0, 3)));
        Assert.Equal([4], Numbers(await AllOfAsync(Journal.EventsByPersistenceId("a", 0, 4))));
    }
}
