using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqlitePollTests
{
    [Fact]
    public async Task An_empty_journal_has_no_last_key_and_no_open_transactions()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();

        var start = await file.Database().ReadStartAsync(CancellationToken.None);

        Assert.Null(start.Last);
        Assert.Empty(start.OpenTransactions!);
    }

    [Fact]
    public async Task The_anchor_is_the_highest_key()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1), Make.Event("b", 1));

        Assert.Equal(new JournalKey(2, "b", 1), (await file.Database().ReadStartAsync(CancellationToken.None)).Last);
    }

    [Fact]
    public async Task Deleted_and_removed_rows_are_missing()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1), Make.Event("b", 1, "blue"), Make.Event("c", 1), Make.Event("d", 1));
        file.Execute("UPDATE journal SET deleted = 1 WHERE ordering = 3; DELETE FROM journal WHERE ordering = 4");
        var rows = new TailRows([1, 2, 3, 4, 5], new ByteBudget(long.MaxValue));

        await file.Database().ReadRowsAsync(rows, CancellationToken.None);

        Assert.Equal(["a", "b"], rows.EventsFrom(0).Select(each => each.PersistenceId));
        Assert.Equal(["blue"], rows.EventsFrom(0)[1].Tags);
    }

    [Fact]
    public async Task Nothing_is_open_between_two_calls_so_a_checkpoint_completes()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 10));
        var database = file.Database();
        await database.ReadAsync(Make.Ask("a"), Make.Ask("b"));
        await database.ReadStartAsync(CancellationToken.None);
        await file.Appender().AppendAsync([Make.Event("a", 11)]);

        // The first column is 1 if another connection blocked the checkpoint.
        Assert.Equal("0", file.Text("PRAGMA wal_checkpoint(TRUNCATE)"));
    }
}
