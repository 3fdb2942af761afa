namespace Throttled.Databases.Tests.Contract;

/// <summary>The events of a query by persistence id depend on its range and on deletions.</summary>
public abstract class RangeContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    [ContractTheory]
    [InlineData(false, 0, 10, 1, 10)]
    [InlineData(true, 0, 10, 1, 10)]
    [InlineData(false, 1, 10, 1, 10)]
    [InlineData(true, 1, 10, 1, 10)]
    [InlineData(false, 1, 1, 1, 1)]
    [InlineData(true, 1, 1, 1, 1)]
    [InlineData(false, 4, 7, 4, 7)]
    [InlineData(true, 4, 7, 4, 7)]
    [InlineData(false, 10, 10, 10, 10)]
    [InlineData(true, 10, 10, 10, 10)]
    [InlineData(false, -5, 2, 1, 2)]
    [InlineData(true, -5, 2, 1, 2)]
    [InlineData(false, 8, 99, 8, 10)]
    public async Task A_bounded_query_gives_the_events_from_one_number_to_another_and_ends(
        bool live, long from, long to, long first, long last)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("other", 1, 12);
        await journal.AppendAsync("a", 1, 10);

        var events = await journal.OpenReader().Events(live, "a", from, to).AllAsync();

        Assert.Equal(Reading.Numbers(first, last), events.Numbers());
        Assert.All(events, each => Assert.Equal(TestEvents.Text("a", each.SequenceNumber), TestEvents.TextOf(each)));
    }

    [ContractTheory]
    [InlineData(false, 6, 5)]
    [InlineData(true, 6, 5)]
    [InlineData(false, 1, 0)]
    [InlineData(true, 1, 0)]
    [InlineData(true, long.MaxValue, 1)]
    public async Task A_query_with_an_empty_range_ends_at_once(bool live, long from, long to)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 10);

        Assert.Empty(await journal.OpenReader().Events(live, "a", from, to).AllAsync());
    }

    [ContractFact]
    public async Task A_current_query_of_an_unknown_id_is_empty()
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 1);

        Assert.Empty(await journal.OpenReader().CurrentEventsByPersistenceId("A").AllAsync());
    }

    [ContractTheory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_live_query_of_an_unknown_id_delivers_new_events(long from)
    {
        var journal = await NewJournalAsync();
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var live = LiveReading.Of(reader.EventsByPersistenceId("a", from));
        await meter.UntilFollowingAsync(1);

        await journal.AppendAsync("a", 1, 1);
        await live.UntilAsync(1);
        await journal.AppendAsync("a", 2, 30);

        Assert.Equal(Reading.Numbers(1, 31), (await live.UntilAsync(31)).Numbers());
    }

    [ContractTheory]
    [InlineData(5)]
    [InlineData(11)]
    [InlineData(13)]
    public async Task A_live_query_goes_on_after_the_events_that_were_there(long from)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 10);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var live = LiveReading.Of(reader.EventsByPersistenceId("a", from));
        await meter.UntilFollowingAsync(1);

        await journal.AppendAsync("a", 11, 10);

        Assert.Equal(Reading.Numbers(from, 20), (await live.UntilAsync((int)(21 - from))).Numbers());
    }

    [ContractTheory]
    [InlineData(3, 0)]
    [InlineData(0, 3)]
    [InlineData(2, 1)]
    public async Task A_bounded_live_query_ends_with_the_event_at_its_end(int before, int after)
    {
        var journal = await NewJournalAsync();
        if (before > 0)
            await journal.AppendAsync("a", 1, before);
        var reader = journal.OpenReader();
        await using var live = LiveReading.Of(reader.EventsByPersistenceId("a", 0, 3));
        await live.UntilAsync(before);

        for (var next = before + 1; next <= before + after; next++)
            await journal.AppendAsync("a", next, 1);

        await live.Ended.WithinAsync("the end of a live query whose last event is there");
        Assert.Equal(Reading.Numbers(1, 3), live.Events.Numbers());
    }

    [ContractTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_bounded_live_query_ends_at_a_deleted_event_at_its_end(bool isDeletedBefore)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 2);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        if (isDeletedBefore)
            await AppendDeletedAsync();
        await using var live = LiveReading.Of(reader.EventsByPersistenceId("a", 0, 3));
        await live.UntilAsync(2);
        if (!isDeletedBefore)
        {
            await meter.UntilFollowingAsync(1);
            await AppendDeletedAsync();
        }

        await live.Ended.WithinAsync("the end of a live query whose last event is there, deleted");
        Assert.Equal([1, 2], live.Events.Numbers());

        async Task AppendDeletedAsync()
        {
            // In one transaction, so that no query reads it before its deletion.
            await using var transaction = await journal.BeginAsync();
            await transaction.InsertAsync(TestEvents.One("a", 3));
            await transaction.RunAsync(
                $"UPDATE {journal.Table} SET {journal.Quote(journal.Tables.DeletedColumn)} = {journal.True} "
                + $"WHERE {journal.Quote(journal.Tables.SequenceNumberColumn)} = 3");
            await transaction.CommitAsync();
        }
    }

    [ContractTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_bounded_live_query_ends_at_an_event_past_its_end_if_those_before_are_gone(bool areGoneBefore)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 2);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        if (areGoneBefore)
            await journal.AppendAsync("a", 7, 1);
        await using var live = LiveReading.Of(reader.EventsByPersistenceId("a", 0, 5));
        await live.UntilAsync(2);
        if (!areGoneBefore)
        {
            await meter.UntilFollowingAsync(1);
            await journal.AppendAsync("a", 7, 1);
        }

        await live.Ended.WithinAsync("the end of a live query at an event past its end");
        Assert.Equal([1, 2], live.Events.Numbers());
    }

    [ContractTheory]
    [InlineData(false, 1)]
    [InlineData(false, 500)]
    [InlineData(true, 1)]
    [InlineData(true, 500)]
    public async Task Deleted_events_are_left_out_and_are_no_gap(bool live, int page)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 12);
        await journal.MarkDeletedAsync("a", 1, 3);
        await journal.MarkDeletedAsync("a", 6, 7);
        await journal.MarkDeletedAsync("a", 11, 11);
        var reader = journal.OpenReader(new() { MaxBufferSize = page });

        Assert.Equal([4, 5, 8, 9, 10, 12], (await reader.Events(live, "a", 0, 12).AllAsync()).Numbers());
    }

    [ContractTheory]
    [InlineData(false, 1)]
    [InlineData(false, 500)]
    [InlineData(true, 1)]
    [InlineData(true, 500)]
    public async Task Events_that_are_gone_are_left_out(bool live, int page)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 12);
        await journal.RemoveAsync("a", 1, 3);
        await journal.RemoveAsync("a", 6, 7);
        var reader = journal.OpenReader(new() { MaxBufferSize = page });

        Assert.Equal([4, 5, 8, 9, 10, 11, 12], (await reader.Events(live, "a", 0, 12).AllAsync()).Numbers());
    }

    [ContractFact]
    public async Task A_query_whose_events_are_all_deleted_is_empty_and_a_live_one_goes_on()
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 5);
        await journal.MarkDeletedAsync("a", 1, 5);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 2 }));

        Assert.Empty(await reader.CurrentEventsByPersistenceId("a").AllAsync());
        await using var live = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await meter.UntilFollowingAsync(1);
        await journal.AppendAsync("a", 6, 1);

        Assert.Equal([6], (await live.UntilAsync(1)).Numbers());
    }

    [ContractFact]
    public async Task A_live_query_passes_sequence_numbers_that_never_come()
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 2);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var live = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await meter.UntilFollowingAsync(1);

        await journal.AppendAsync("a", 5, 1);
        await live.UntilAsync(3);
        await journal.AppendAsync("a", 9, 2);

        Assert.Equal([1, 2, 5, 9, 10], (await live.UntilAsync(5)).Numbers());
    }
}
