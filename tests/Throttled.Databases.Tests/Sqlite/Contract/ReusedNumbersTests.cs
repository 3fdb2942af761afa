namespace Throttled.Journal.Sqlite.Tests.Contract;

/// <summary>
/// A table without AUTOINCREMENT reuses the orderings of its deleted newest rows. Queries that follow get the new rows.
/// </summary>
public sealed class ReusedNumbersTests(SqliteHost host, ITestOutputHelper output) : JournalContract(host, output), IClassFixture<SqliteHost>
{
    private const int Before = 30;

    public static TheoryData<TagMode, int, int, bool> Deletions()
    {
        var data = new TheoryData<TagMode, int, int, bool>();
        foreach (var tags in Enum.GetValues<TagMode>())
        {
            foreach (var (deleted, written) in ((int, int)[])[(1, 1), (5, 5), (5, 2), (5, 9), (Before, Before), (Before, 3), (Before, 50)])
            {
                data.Add(tags, deleted, written, false);
                data.Add(tags, deleted, written, true);
            }
        }
        return data;
    }

    [Theory]
    [MemberData(nameof(Deletions))]
    public async Task Events_that_reuse_the_orderings_of_deleted_newest_rows_are_delivered(TagMode tags, int deleted, int written, bool isSeen)
    {
        var journal = await NewLegacyJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, Before));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 4 }));
        await using var readings = new Followers(reader);
        await readings.UntilAsync(Selections.Mixed(0, Before));
        await meter.UntilFollowingAsync(Followers.Count);

        await DeleteNewestAsync(journal, deleted);
        if (isSeen)
            await meter.MoreAsync(3, "keys");
        await journal.AppendAsync(Selections.Mixed(Before, written));
        await readings.UntilAsync(Selections.Mixed(0, Before + written));
        await journal.AppendAsync(Selections.Mixed(Before + written, 20));

        await readings.UntilAsync(Selections.Mixed(0, Before + written + 20));
    }

    // A page may be running when the rows are deleted. If it reads an event with a number that was issued again, this event comes twice (decision 10).
    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Newest_rows_may_be_deleted_repeatedly(TagMode tags)
    {
        var seed = Random.Shared.Next();
        Output.WriteLine($"Seed {seed}");
        var random = new Random(seed);
        var journal = await NewLegacyJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, Before));
        var reader = journal.OpenReader(new() { MaxBufferSize = 3, RefreshInterval = TimeSpan.FromMilliseconds(10), MinPollInterval = TimeSpan.Zero });
        await using var readings = new Followers(reader);
        var written = Before;
        for (var round = 0; round < 40; round++)
        {
            await readings.UntilAsync(Selections.Mixed(0, written), $"seed {seed}, round {round}", mayRepeat: true);
            await DeleteNewestAsync(journal, random.Next(1, 12));
            var count = random.Next(0, 12);
            if (count > 0)
                await journal.AppendAsync(Selections.Mixed(written, count));
            written += count;
        }
        await readings.UntilAsync(Selections.Mixed(0, written), $"seed {seed}, at the end", mayRepeat: true);
    }

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task A_query_that_lags_gets_the_rows_that_exist_when_it_reads(TagMode tags)
    {
        var journal = await NewLegacyJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, Before));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 3 }));
        await using var others = new Followers(reader);
        await meter.UntilFollowingAsync(Followers.Count);
        var wakeUp = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var paused = Enum.GetValues<Selection>().Select(each => (each, LiveReading.Of(reader.Read(each, live: true), _ => wakeUp.Task))).ToList();
        await Wait.UntilAsync(() => paused.TrueForAll(each => each.Item2.Count == 1), "an event for each paused query");

        await DeleteNewestAsync(journal, 10);
        await journal.AppendAsync(Selections.Mixed(Before, 6));
        await others.UntilAsync(Selections.Mixed(0, Before + 6));
        wakeUp.SetResult();

        foreach (var (selection, reading) in paused)
        {
            var expected = selection.Of([.. Selections.Mixed(0, Before - 10), .. Selections.Mixed(Before, 6)]);
            (await reading.UntilAsync(expected.Count)).AreExactly(expected);
            await reading.DisposeAsync();
        }
    }

    private async Task<JournalUnderTest> NewLegacyJournalAsync(TagMode tags)
    {
        var journal = await NewJournalAsync(Layouts.Named("sqlite", tags));
        await using var connection = await journal.ConnectAsync();
        var created = await connection.ScalarAsync<string>("SELECT sql FROM sqlite_schema WHERE name = 'event_journal'");
        await connection.RunAsync($"DROP TABLE event_journal; {created.Replace(" AUTOINCREMENT", "")}");
        Assert.Equal(0, await connection.ScalarAsync<long>("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'"));
        return journal;
    }

    private static Task DeleteNewestAsync(JournalUnderTest journal, int count)
    {
        var newest = $"SELECT ordering FROM event_journal ORDER BY ordering DESC LIMIT {count}";
        var deleteTags = journal.Tables.TagMode == TagMode.TagTable ? $"DELETE FROM tags WHERE ordering_id IN ({newest}); " : "";
        return journal.ExecuteAsync($"BEGIN; {deleteTags}DELETE FROM event_journal WHERE ordering IN ({newest}); COMMIT");
    }

    /// <summary>Each live query once, and one query for each id.</summary>
    private sealed class Followers(JournalReader reader) : IAsyncDisposable
    {
        internal const int Count = 10;

        private readonly List<(Func<JournalEvent, bool> Wants, LiveReading<JournalEvent> Reading)> _readings =
        [
            .. Enum.GetValues<Selection>().Select(
                selection => ((Func<JournalEvent, bool>)(each => selection.Wants(each)), LiveReading.Of(reader.Read(selection, live: true)))),
            .. TestEvents.Ids("id", 7).Select(
                id => ((Func<JournalEvent, bool>)(each => each.PersistenceId == id), LiveReading.Of(reader.EventsByPersistenceId(id)))),
        ];

        internal async Task UntilAsync(JournalEvent[] all, string what = "", bool mayRepeat = false)
        {
            foreach (var (wants, reading) in _readings)
            {
                var expected = all.Where(wants).Texts().ToList();
                if (mayRepeat)
                    await Wait.UntilAsync(() => reading.Events.Texts().Distinct().Count() >= expected.Count || reading.Ended.IsCompleted, $"{what} {expected.Count} events");
                var found = (await reading.UntilAsync(expected.Count)).Texts().ToList();
                if (mayRepeat)
                    found = [.. found.Distinct()];
                Assert.True(expected.SequenceEqual(found), $"{what} {string.Join(' ', expected)} came as {string.Join(' ', found)}");
            }
        }

        public async ValueTask DisposeAsync()
        {
            foreach (var (_, reading) in _readings)
                await reading.DisposeAsync();
        }
    }
}
