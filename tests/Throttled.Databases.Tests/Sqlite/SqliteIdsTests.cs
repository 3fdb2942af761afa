using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteIdsTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(100)]
    public async Task Each_id_comes_once(int limit)
    {
        await using var file = new JournalFile();
        await file.CreateAsync([.. Make.Events("b", 3), .. Make.Events("a", 3), .. Make.Events("B", 1), .. Make.Events("größe", 2), .. Make.Events("\ud83d\ude00", 1)]);

        Assert.Equal(["B", "a", "b", "größe", "\ud83d\ude00"], await AllAsync(file, limit));
    }

    [Fact]
    public async Task An_id_whose_events_are_all_deleted_is_passed_but_not_returned()
    {
        await using var file = new JournalFile();
        await file.CreateAsync([.. Make.Events("a", 2), .. Make.Events("b", 2), .. Make.Events("c", 2)]);
        file.Execute("UPDATE journal SET deleted = 1 WHERE persistence_id = 'b' OR sequence_number = 1");
        var database = file.Database();

        var first = await ReadAsync(database, after: null, limit: 2);
        var rest = await ReadAsync(database, first.Last, limit: 2);

        Assert.Equal(["a"], Make.Items(first.Page));
        Assert.Equal("b", first.Last);
        Assert.True(first.MayHaveMore);
        Assert.Equal(["c"], Make.Items(rest.Page));
        Assert.False(rest.MayHaveMore);
    }

    [Fact]
    public async Task After_the_last_id_there_is_nothing()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1));
        var database = file.Database();

        var result = await ReadAsync(database, "a", 10);

        Assert.Null(result.Page);
        Assert.Equal("a", result.Last);
        Assert.False(result.MayHaveMore);
    }

    [Fact]
    public async Task An_id_with_many_events_is_passed_in_one_step()
    {
        await using var file = new JournalFile();
        await file.CreateAsync([.. Make.Events("a", 20_000), .. Make.Events("b", 1)]);
        await using var database = file.Database(new() { TimeProvider = new CountingClock(TimeSpan.FromDays(1)) });

        // Some 10,000 steps of SQLite's virtual machine exceed its timeout.
        Assert.Equal(["b"], Make.Items((await ReadAsync(database, "a", 10)).Page));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(100)]
    public async Task Invalid_ids_are_passed_wherever_they_are(int limit)
    {
        await using var file = new JournalFile();
        file.Execute(
            """
            CREATE TABLE journal (ordering INTEGER PRIMARY KEY AUTOINCREMENT, deleted, persistence_id, sequence_number, created, message,
                identifier, manifest, writer_uuid, UNIQUE (persistence_id, sequence_number))
            """);
        await file.CreateAsync(Make.Event("a", 1), Make.Event("empty", 1), Make.Event("nul", 1), Make.Event("a\ufffd", 1), Make.Event("z", 1));
        // Our appender writes no such ids.
        file.Execute("UPDATE journal SET persistence_id = '' WHERE persistence_id = 'empty'");
        file.Execute("UPDATE journal SET persistence_id = 'a' || char(0) || 'b' WHERE persistence_id = 'nul'");
        string[] damaged = ["NULL", "7", "-1.5", "x''", "x'61'", "x'ff'", "CAST(x'61ff' AS TEXT)", "CAST(x'61c0' AS TEXT)", "CAST(x'ff' AS TEXT)"];
        foreach (var id in damaged)
            file.Execute($"INSERT INTO journal (deleted, persistence_id, sequence_number, created, message) VALUES (0, {id}, 2, 1, x'')");

        Assert.Equal(["", "a", "a\u0000b", "a\ufffd", "z"], await AllAsync(file, limit));
    }

    [Fact]
    public async Task At_the_byte_limit_reading_stops()
    {
        await using var file = new JournalFile();
        await file.CreateAsync([.. Enumerable.Range(1, 20).Select(number => Make.Event($"id-{number:00}", 1))]);
        var ids = new IdsRows(null, 100, new ByteBudget(100));

        await file.Database().ReadIdsAsync(ids, CancellationToken.None);
        ids.Complete();

        Assert.Equal(["id-01", "id-02", "id-03"], Make.Items(ids.Result.Page));
        Assert.True(ids.Result.MayHaveMore);
    }

    private static async Task<List<string>> AllAsync(JournalFile file, int limit)
    {
        var database = file.Database();
        List<string> all = [];
        var result = await ReadAsync(database, after: null, limit);
        all.AddRange(Make.Items(result.Page));
        while (result.MayHaveMore)
        {
            Assert.InRange(all.Count, 0, 100);
            result = await ReadAsync(database, result.Last, limit);
            all.AddRange(Make.Items(result.Page));
        }
        return all;
    }

    private static async Task<IdsResult> ReadAsync(SqliteDatabase database, string? after, int limit)
    {
        var ids = new IdsRows(after, limit, new ByteBudget(long.MaxValue));
        await database.ReadIdsAsync(ids, CancellationToken.None);
        ids.Complete();
        return ids.Result;
    }
}
