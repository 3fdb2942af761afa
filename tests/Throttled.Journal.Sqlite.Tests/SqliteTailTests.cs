using Throttled.Journal.Pages;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteTailTests
{
    [Fact]
    public async Task An_empty_journal_has_no_last_key_and_nobody_holds_it()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();

        var anchor = await file.Database().ReadAnchorAsync(CancellationToken.None);

        Assert.Null(anchor.Last);
        Assert.Empty(anchor.Holders!);
    }

    [Fact]
    public async Task The_anchor_is_the_highest_key()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1), Make.Event("b", 1));

        Assert.Equal(new JournalKey(2, "b", 1), (await file.Database().ReadAnchorAsync(CancellationToken.None)).Last);
    }

    [Theory]
    [InlineData(false, new long[] { 3, 4 })]
    [InlineData(true, new long[] { 2, 3 })]
    public async Task Keys_follow_the_position(bool inclusive, long[] orderings)
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 5));

        var found = await file.Database().ReadKeysAsync(new(2, inclusive, [], 2, true), CancellationToken.None);

        Assert.Equal(orderings, found.Above.Select(key => key.Ordering));
        Assert.Empty(found.Late);
        Assert.Empty(found.Holders!);
    }

    [Fact]
    public async Task A_key_that_cannot_be_read_does_not_hide_the_others()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 3));
        file.Execute("UPDATE journal SET sequence_number = 'two' WHERE ordering = 2; UPDATE journal SET persistence_id = x'00' WHERE ordering = 3");

        var found = await file.Database().ReadKeysAsync(new(0, false, [], 10, false), CancellationToken.None);

        Assert.Equal([new(1, "a", 1), new(2, "a", long.MaxValue - 1), new(3, "", 3)], found.Above);
    }

    [Fact]
    public async Task Rows_that_are_deleted_or_gone_are_missing()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1), Make.Event("b", 1, "blue"), Make.Event("c", 1), Make.Event("d", 1));
        file.Execute("UPDATE journal SET deleted = 1 WHERE ordering = 3; DELETE FROM journal WHERE ordering = 4");
        var rows = new RowsStatement([1, 2, 3, 4, 5], new ByteBudget(long.MaxValue));

        await file.Database().ReadRowsAsync(rows, CancellationToken.None);

        Assert.Equal(["a", "b"], rows.EventsFrom(0).Select(each => each.PersistenceId));
        Assert.Equal(["blue"], rows.EventsFrom(0)[1].Tags);
    }

    [Fact]
    public async Task A_probe_tells_the_cores_and_praises_WAL_mode_by_silence()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();

        var facts = await file.Database(new() { MaxConcurrentQueries = 1 }).ProbeAsync(CancellationToken.None);

        Assert.Equal(1, facts.StatementCeiling);
        Assert.Contains("core", facts.CeilingReason, StringComparison.Ordinal);
        Assert.Null(facts.Warning);
    }

    [Fact]
    public async Task A_probe_warns_where_readers_block_the_writer()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();
        file.Execute("PRAGMA journal_mode = DELETE");

        var facts = await file.Database().ProbeAsync(CancellationToken.None);

        Assert.Contains("journal mode 'delete'", facts.Warning, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Nothing_is_open_between_two_calls_so_that_a_checkpoint_reaches_the_end()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 10));
        var database = file.Database();
        await database.ReadAsync(Make.Ask("a"), Make.Ask("b"));
        await database.ReadAnchorAsync(CancellationToken.None);
        await file.Appender().AppendAsync([Make.Event("a", 11)]);

        // The first column says whether somebody was in the way.
        Assert.Equal("0", file.Text("PRAGMA wal_checkpoint(TRUNCATE)"));
    }
}
