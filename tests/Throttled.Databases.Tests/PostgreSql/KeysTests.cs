using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class KeysTests
{
    public static TheoryData<TagMode> Modes => [TagMode.TagTable, TagMode.Csv];

    [PostgreSqlFact]
    public async Task Keys_from_a_position_come_ascending_and_bounded()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 9);
        var result = await journal.Database.ReadKeysAsync(new(3, [], Limit: 3), default);
        Assert.Equal([3, 4, 5], result.Above.Select(key => key.Ordering));
        Assert.Equal((null, null, true), (result.OpenTransactions, result.LastIssued, result.IsTruncated));
        Assert.Empty(result.Tags);
        result = await journal.Database.ReadKeysAsync(new(8, [new(1, 5)], Limit: 3), default);
        Assert.Equal([8, 9], result.Above.Select(key => key.Ordering));
        Assert.Equal([1, 2, 3], result.Late.Select(key => key.Ordering));
        Assert.True(result.IsTruncated);
        Assert.False((await journal.Database.ReadKeysAsync(new(8, [], Limit: 3), default)).IsTruncated);
    }

    [PostgreSqlTheory]
    [MemberData(nameof(Modes))]
    public async Task Tags_come_with_the_keys_above_the_position_and_in_the_gaps(TagMode mode)
    {
        await using var journal = await CreateAsync(JournalTables.Default with { TagMode = mode });
        await journal.AppendAsync(Event("a", 1, "x"), Event("a", 2), Event("a", 3, "p"), Event("a", 4, "y", "z"), Event("a", 5));
        var result = await journal.Database.ReadKeysAsync(new(3, [new(1, 2)], 10) { WithTags = true }, default);
        Assert.Equal([3, 4, 5], result.Above.Select(key => key.Ordering));
        Assert.Equal([1, 4], result.Tags.Keys.Order());
        Assert.Equal(["x"], result.Tags[1]);
        Assert.Equal(["y", "z"], result.Tags[4].Order());
    }

    [PostgreSqlTheory]
    [MemberData(nameof(Modes))]
    public async Task Whole_rows_come_with_their_tags_and_so_do_late_ones(TagMode mode)
    {
        await using var journal = await CreateAsync(JournalTables.Default with { TagMode = mode });
        await journal.AppendAsync(Event("a", 1, "x"), Event("c", 1, "q"), Event("a", 2, "p"), Event("b", 1, "y"), Event("b", 2), Event("b", 3));
        await journal.ExecuteAsync("UPDATE journal SET deleted = true WHERE ordering IN (2, 5)");
        var rows = new TailRows([], new ByteBudget(long.MaxValue));
        var result = await journal.Database.ReadKeysAsync(new(3, [new(1, 2)], 10) { Rows = rows, WithTags = true }, default);
        Assert.Equal([new(1, "a", 1), new(2, "c", 1)], result.Late);
        Assert.Equal([new(3, "a", 2), new(4, "b", 1), new(5, "b", 2), new(6, "b", 3)], result.Above);
        Assert.Equal([4, 6, 1], rows.Events.Select(row => row.Ordering));
        Assert.Equal(["b", "b", "a"], rows.Events.Select(row => row.PersistenceId));
        Assert.Equal([1, 2, 3, 1], rows.Events[0].Payload.ToArray());
        Assert.Equal(["y"], rows.Events[0].Tags);
        Assert.Empty(rows.Events[1].Tags);
        Assert.Equal(["x"], rows.Events[2].Tags);
        Assert.Empty(result.Tags);
        Assert.False(result.IsTruncated);
    }

    [PostgreSqlFact]
    public async Task A_row_without_sequence_number_does_not_end_a_query_that_waits_for_its_last_event()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync("ALTER TABLE journal ALTER sequence_number DROP NOT NULL");
        await journal.AppendAsync("a", 2);
        await using var reader = PostgreSqlJournal.OpenReader(journal.ConnectionString, new() { Tables = journal.Tables });
        await using var reading = LiveReading.Of(reader.EventsByPersistenceId("a", to: 4));
        await using var other = LiveReading.Of(reader.EventsByPersistenceId("b"));
        await reading.UntilAsync(2);
        await journal.AppendAsync(Event("b", 1));
        await other.UntilAsync(1);
        await journal.ExecuteAsync("INSERT INTO journal (deleted, persistence_id, created, message, identifier, manifest) VALUES (false, 'a', 0, '\\x01', 7, '')");
        await journal.AppendAsync(Event("b", 2));
        await other.UntilAsync(2);
        await journal.AppendAsync(Event("a", 3), Event("a", 4));
        Assert.Equal([1, 2, 3, 4], (await reading.UntilAsync(4)).Select(each => each.SequenceNumber));
        await reading.Ended.WithinAsync("the end of the query");
    }

    [PostgreSqlFact]
    public async Task Rows_beyond_the_byte_limit_are_left_with_their_keys()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync(
            "INSERT INTO journal(deleted, persistence_id, sequence_number, created, message) "
            + "SELECT false, 'a', n, 0, decode(repeat('00', 1000), 'hex') FROM generate_series(1, 60000) n");
        var rows = new TailRows([], new ByteBudget(2500));
        var result = await journal.Database.ReadKeysAsync(new(1, [], 100_000) { Rows = rows }, default);
        Assert.Equal(0, await journal.RunningAsync());
        Assert.Equal([2, 3, 4], rows.Events.Select(row => row.Ordering));
        Assert.Equal([1, 2, 3, 4], result.Above.Select(key => key.Ordering));
        Assert.True(result.IsTruncated);
        rows = new TailRows([], new ByteBudget(long.MaxValue));
        result = await journal.Database.ReadKeysAsync(new(1, [], 4) { Rows = rows }, default);
        Assert.Equal((3, 4, true), (rows.Events.Count, result.Above.Count, result.IsTruncated));
    }

    [PostgreSqlFact]
    public async Task If_the_row_at_the_position_is_gone_the_last_issued_ordering_is_returned()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 9);
        await journal.ExecuteAsync("DELETE FROM journal WHERE ordering > 5");
        Assert.Null((await PollAsync(journal.Database, from: 5)).LastIssued);
        Assert.Equal(9, (await PollAsync(journal.Database, from: 7)).LastIssued);
        Assert.Null((await PollAsync(journal.Database, from: 0)).LastIssued);
    }

    [PostgreSqlTheory]
    [InlineData("TRUNCATE journal RESTART IDENTITY", 0)]
    [InlineData("ALTER SEQUENCE journal_ordering_seq RESTART", 0)]
    [InlineData("SELECT setval('journal_ordering_seq', 2)", 2)]
    [InlineData("ALTER TABLE journal ALTER ordering RESTART WITH 5000", 4999)]
    public async Task A_sequence_that_was_set_back_returns_its_last_issued_ordering(string sql, long last)
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 3);
        await journal.ExecuteAsync($"DELETE FROM journal; {sql}");
        Assert.Equal(last, (await PollAsync(journal.Database, from: 3)).LastIssued);
    }

    [PostgreSqlFact]
    public async Task The_last_issued_ordering_is_unknown_without_a_sequence_or_the_right_to_read_it()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 3);
        await journal.ExecuteAsync("DELETE FROM journal; CREATE ROLE viewer LOGIN PASSWORD 'secret'; GRANT SELECT ON journal, tags TO viewer");
        await using (var database = journal.Open(new(), ";Username=viewer;Password=secret"))
        {
            Assert.Null((await PollAsync(database, from: 3)).LastIssued);
            await journal.ExecuteAsync("GRANT SELECT ON SEQUENCE journal_ordering_seq TO viewer");
            Assert.Equal(3, (await PollAsync(database, from: 3)).LastIssued);
            await journal.ExecuteAsync("INSERT INTO pg_subscription_rel VALUES (1, 'journal'::regclass, 'r', NULL)");
            Assert.Null((await PollAsync(database, from: 3)).LastIssued);
            await journal.ExecuteAsync("DELETE FROM pg_subscription_rel; ALTER TABLE journal ALTER ordering DROP IDENTITY");
            Assert.Null((await PollAsync(database, from: 3)).LastIssued);
        }

        await journal.ExecuteAsync("DROP OWNED BY viewer; DROP ROLE viewer");
    }

    [PostgreSqlFact]
    public async Task The_engine_returns_the_last_issued_ordering_if_its_user_may_read_it()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 5);
        await journal.ExecuteAsync("DELETE FROM journal WHERE ordering > 2; CREATE ROLE teller LOGIN PASSWORD 'secret'; GRANT SELECT ON journal, tags TO teller");
        await using (var reader = PostgreSqlJournal.OpenReader(journal.ConnectionString + ";Username=teller;Password=secret", new() { Tables = journal.Tables }))
        {
            Assert.Null(await reader.Engine.LastIssuedAsync(default));
            await journal.ExecuteAsync("GRANT SELECT ON SEQUENCE journal_ordering_seq TO teller");
            Assert.Equal(5, await reader.Engine.LastIssuedAsync(default));
            // The sequence is too low, as after a copy of the table alone.
            await journal.ExecuteAsync("SELECT setval('journal_ordering_seq', 1)");
            Assert.Equal(2, await reader.Engine.LastIssuedAsync(default));
        }
        await journal.ExecuteAsync("DROP OWNED BY teller; DROP ROLE teller");
    }

    [PostgreSqlFact]
    public async Task The_sequence_of_a_table_with_an_odd_name_is_found()
    {
        var tables = JournalTables.Default with { Schema = "odd \"s\".x", JournalTable = "Event\"s; --", OrderingColumn = "Ord\"er" };
        await using var journal = await CreateAsync(tables);
        await journal.AppendAsync("a", 3);
        await journal.ExecuteAsync("""DELETE FROM "odd ""s"".x"."Event""s; --" """);
        Assert.Equal(3, (await PollAsync(journal.Database, from: 3)).LastIssued);
    }

    private static Task<KeysResult> PollAsync(PostgreSqlDatabase database, long from) => database.ReadKeysAsync(new(from, [], 10), default);
}
