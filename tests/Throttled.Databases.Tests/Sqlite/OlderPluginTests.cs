namespace Throttled.Journal.Sqlite.Tests;

/// <summary>A table that the older Akka.Persistence.Sqlite created and wrote, read with its preset.</summary>
public sealed class OlderPluginTests
{
    // It has no tag table, no AUTOINCREMENT, and another order of the columns.
    internal const string Journal =
        """
        CREATE TABLE event_journal (
            ordering INTEGER PRIMARY KEY NOT NULL, persistence_id VARCHAR(255) NOT NULL, sequence_nr INTEGER(8) NOT NULL,
            is_deleted INTEGER(1) NOT NULL, manifest VARCHAR(255) NULL, timestamp INTEGER NOT NULL, payload BLOB NOT NULL,
            tags VARCHAR(2000) NULL, serializer_id INTEGER(4), UNIQUE (persistence_id, sequence_nr));
        """;

    internal const string Insert =
        "INSERT INTO event_journal (persistence_id, sequence_nr, is_deleted, manifest, timestamp, payload, tags, serializer_id) VALUES ";

    [Fact]
    public async Task Its_rows_are_read_by_current_and_live_queries()
    {
        await using var file = new JournalFile();
        file.Execute(Journal + Insert
            + "('a', 1, 1, 'Gone', 11, x'01', NULL, NULL), ('a', 2, 0, 'Some.Type, Some', 12, x'0203', NULL, NULL), "
            + "('b', 1, 0, 'B', 13, x'09', ';c;', 1), ('a', 3, 0, NULL, 14, x'', ';a;b;', 4)");
        await using var reader = SqliteJournal.OpenReader(file.ConnectionString, new() { Tables = JournalTables.Sqlite });

        var current = await reader.CurrentEventsByPersistenceId("a").AllAsync();
        await using var live = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await live.UntilAsync(2);
        file.Execute(Insert + "('a', 4, 0, 'M', 15, x'04', ';d;', 1)");
        var all = await live.UntilAsync(3);

        Assert.Equal([2, 3], current.Numbers());
        Assert.Equal([2, 3, 4], all.Numbers());
        Assert.Equal([2, 4, 5], all.Select(each => each.Ordering));
        Assert.Equal([12, 14, 15], all.Select(each => each.Timestamp));
        Assert.Equal(["Some.Type, Some", "", "M"], all.Select(each => each.Manifest));
        Assert.Equal([null, 4, 1], all.Select(each => each.SerializerId));
        Assert.Equal(["0203", "", "04"], all.Select(each => Convert.ToHexString(each.Payload.Span)));
        Assert.Equal(["", "a b", "d"], all.Select(each => string.Join(' ', each.Tags)));
    }

    [Fact]
    public async Task It_issues_orderings_like_a_journal_created_with_its_preset()
    {
        await using var file = new JournalFile(JournalTables.Sqlite);
        await file.CreateAsync(Make.Event("a", 1), Make.Event("a", 2, "blue"));
        file.Execute("DELETE FROM event_journal WHERE sequence_nr = 2");
        file.Execute(Insert + "('a', 3, 0, NULL, 1, x'', NULL, NULL)");

        Assert.Equal("2", file.Text("SELECT max(ordering) FROM event_journal"));
        Assert.Equal("0", file.Text("SELECT count(*) FROM sqlite_schema WHERE name = 'tags'"));
    }
}
