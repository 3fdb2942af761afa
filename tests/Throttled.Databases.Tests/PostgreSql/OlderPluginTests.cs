namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>A table that the older Akka.Persistence.PostgreSql created and wrote, read with its preset.</summary>
public class OlderPluginTests
{
    // It has no tag table, a serial for the orderings, and another order of the columns.
    private const string Journal =
        """
        CREATE TABLE public.event_journal (
            ordering BIGSERIAL NOT NULL PRIMARY KEY, persistence_id VARCHAR(255) NOT NULL, sequence_nr BIGINT NOT NULL,
            is_deleted BOOLEAN NOT NULL, created_at BIGINT NOT NULL, manifest VARCHAR(500) NOT NULL, payload BYTEA NOT NULL,
            tags VARCHAR(2000) NULL, serializer_id INTEGER NULL,
            CONSTRAINT event_journal_uq UNIQUE (persistence_id, sequence_nr));
        """;

    private const string Insert =
        "INSERT INTO event_journal (persistence_id, sequence_nr, is_deleted, manifest, created_at, payload, tags, serializer_id) VALUES ";

    [PostgreSqlFact]
    public async Task Its_rows_are_read_by_current_and_live_queries()
    {
        await using var journal = TestJournal.Absent(JournalTables.PostgreSql);
        await journal.ExecuteAsync(Journal + Insert
            + @"('a', 1, true, 'Gone', 11, '\x01', NULL, NULL), ('a', 2, false, 'Some.Type, Some', 12, '\x0203', NULL, NULL), "
            + @"('b', 1, false, 'B', 13, '\x09', ';c;', 1), ('a', 3, false, '', 14, '\x', ';a;b;', 4)");
        await using var reader = PostgreSqlJournal.OpenReader(journal.ConnectionString, new() { Tables = JournalTables.PostgreSql });

        var current = await reader.CurrentEventsByPersistenceId("a").AllAsync();
        await using var live = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await live.UntilAsync(2);
        await journal.ExecuteAsync(Insert + @"('a', 4, false, 'M', 15, '\x04', ';d;', 1)");
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
}
