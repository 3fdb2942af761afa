using System.Diagnostics;
using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Rewound;

/// <summary>A server whose files are restored to an older state, and a sequence that is set by hand.</summary>
[Collection(AloneCollection.Name)]
public sealed class RestoreTests(PostgreSqlHost host, ITestOutputHelper output)
{
    private const int Before = 30;

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task Files_restored_without_the_last_event_end_every_query() => RestoreAsync(1, 0);

    [PostgreSqlTheory]
    [InlineData(1, 60)]
    [InlineData(20, 0)]
    [InlineData(40, 7)]
    [InlineData(40, 100)]
    [Trait("Category", "Long")]
    public Task Files_restored_to_an_older_state_end_every_query(int lost, int written) => RestoreAsync(lost, written);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Files_restored_to_the_last_read_event_cost_no_query_and_no_event()
    {
        using var server = PostgreSqlServer.Start();
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        await journal.AppendAsync(Selections.Mixed(0, Before));
        var (states, there) = await EveryState.OpenAsync(journal, Before);
        await using var closing = states;
        await RestoreAsync(server, journal, server.BackUp());
        await journal.AppendAsync(Selections.Mixed(there, 20));
        await states.AllGoOnAsync(there + 20);
    }

    [PostgreSqlFact]
    public async Task A_sequence_that_is_set_back_is_a_rewind_only_if_its_newest_row_is_missing()
    {
        await using var journal = await host.NewJournalAsync();
        await journal.AppendAsync(Selections.Mixed(0, Before));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var reading = LiveReading.Of(reader.AllEvents());
        await meter.UntilFollowingAsync(1);
        await reading.UntilAsync(Before);
        await journal.ExecuteAsync("SELECT setval(pg_get_serial_sequence('journal', 'ordering'), 10)");
        await meter.MoreAsync(3, "keys");
        Assert.False(reading.Ended.IsCompleted);

        await journal.ExecuteAsync($"DELETE FROM journal WHERE ordering = {Before}");

        await Assert.ThrowsAsync<JournalRewoundException>(() => reading.Ended.WithinAsync("the end of a query"));
    }

    // A sequence that is set back fills gaps that every query in journal order has passed.
    [PostgreSqlFact]
    public async Task Orderings_that_a_sequence_set_back_issues_below_the_position_are_skipped_in_journal_order()
    {
        await using var journal = await host.NewJournalAsync();
        await journal.AppendAsync("a", 1, 5);
        await journal.RemoveAsync("a", 3, 3);
        await journal.AppendAsync("b", 1, 1);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var reading = LiveReading.Of(reader.AllEvents());
        await meter.UntilFollowingAsync(1);
        await journal.ExecuteAsync("SELECT setval(pg_get_serial_sequence('journal', 'ordering'), 2)");
        await journal.AppendAsync("c", 1, 1);
        await journal.ExecuteAsync("SELECT setval(pg_get_serial_sequence('journal', 'ordering'), 6)");
        await journal.AppendAsync("c", 2, 1);

        (await reading.UntilAsync(6)).AreExactly(["a/1", "a/2", "a/4", "a/5", "b/1", "c/2"]);
        Assert.Equal(["c/1", "c/2"], (await reader.CurrentEventsByPersistenceId("c").AllAsync()).Texts());
    }

    private async Task RestoreAsync(int lost, int written)
    {
        using var server = PostgreSqlServer.Start();
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        await journal.AppendAsync(Selections.Mixed(0, Before));
        var (states, there) = await EveryState.OpenAsync(journal, Before);
        await using var closing = states;
        var restore = server.BackUp();
        await journal.AppendAsync(Selections.Mixed(there, lost));
        await states.UntilSeenAsync(there + lost);

        await RestoreAsync(server, journal, restore);
        var start = Stopwatch.GetTimestamp();
        var left = await journal.RowsAsync();
        // The new events differ from the lost ones. Equal events with the same orderings would be no detectable rewind.
        JournalEvent[] anew = Selections.Mixed(there + lost, written);
        if (written > 0)
            await journal.AppendAsync(anew);

        await states.AllEndAsync();
        var all = FaultTable.Seconds(Stopwatch.GetElapsedTime(start));
        FaultTable.Add(
            output, $"files restored, {there + lost - left.Count} events short", "PostgreSQL", "all states", states.Count,
            (await journal.RowsAsync()).Count - left.Count, "-", states.Doubled, $"{states.Failed} (rewound)", "-", all);
        await ReopenedQueries.CheckAsync(journal, states.Reader, left[^1].Ordering, anew);
    }

    private static async Task RestoreAsync(PostgreSqlServer server, JournalUnderTest journal, Action restore)
    {
        await journal.CloseAppenderAsync();
        server.Stop();
        restore();
        server.Start();
    }
}
