namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>A table that the older Akka.Persistence.SqlServer created and wrote, read with its preset.</summary>
[Collection(CaselessCollection.Name)]
public sealed class OlderPluginTests(CaselessSqlServerHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    // It has another order of the columns, another spelling of one of them, and short tags.
    internal const string Journal =
        """
        CREATE TABLE dbo.EventJournal (
            Ordering BIGINT IDENTITY(1,1) NOT NULL, PersistenceID NVARCHAR(255) NOT NULL, SequenceNr BIGINT NOT NULL, Timestamp BIGINT NOT NULL,
            IsDeleted BIT NOT NULL, Manifest NVARCHAR(500) NOT NULL, Payload VARBINARY(MAX) NOT NULL, Tags NVARCHAR(100) NULL, SerializerId INTEGER NULL,
            CONSTRAINT PK_EventJournal PRIMARY KEY (Ordering), CONSTRAINT QU_EventJournal UNIQUE (PersistenceID, SequenceNr))
        """;

    private const string Insert =
        "INSERT INTO dbo.EventJournal (PersistenceID, SequenceNr, IsDeleted, Manifest, Timestamp, Payload, Tags, SerializerId) VALUES ";

    // Akka.Persistence.Sql creates it like this beside such a table.
    private const string TagTable =
        """
        CREATE TABLE dbo.tags (
            ordering_id BIGINT NOT NULL, tag NVARCHAR(64) NOT NULL, sequence_nr BIGINT NOT NULL, persistence_id NVARCHAR(255) NOT NULL,
            PRIMARY KEY (ordering_id, tag))
        """;

    [SqlServerFact]
    public async Task Its_rows_are_read_by_current_and_live_queries()
    {
        var journal = await Host.NewAbsentJournalAsync(JournalTables.SqlServer);
        await using var closing = journal;
        await journal.ExecuteAsync(Journal);
        await journal.ExecuteAsync(Insert
            + "(N'a', 1, 1, N'Gone', 11, 0x01, NULL, NULL), (N'a', 2, 0, N'Some.Type, Some', 12, 0x0203, NULL, NULL), "
            + "(N'b', 1, 0, N'B', 13, 0x09, N';c;', 1), (N'a', 3, 0, N'', 14, 0x, N';a;b;', 4)");
        var reader = journal.OpenReader();

        await using var live = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await using var tagged = LiveReading.Of(reader.EventsByTag("d"));
        await live.UntilAsync(2);
        await journal.ExecuteAsync(Insert + "(N'a', 4, 0, N'M', 15, 0x04, N';d;', 1)");

        IsWhole(await live.UntilAsync(3));
        IsWhole(await reader.CurrentEventsByPersistenceId("a").AllAsync());
        IsWhole([.. (await reader.CurrentAllEvents().AllAsync()).Where(each => each.PersistenceId == "a")]);
        Assert.Equal([4], (await tagged.UntilAsync(1)).Numbers());
        Assert.Equal([3], (await reader.CurrentEventsByTag("b").AllAsync()).Numbers());
        Assert.Equal(["a", "b"], (await reader.CurrentPersistenceIds().AllAsync()).Order());
    }

    [SqlServerFact]
    public async Task Its_rows_are_read_with_tags_in_a_tag_table()
    {
        var journal = await Host.NewAbsentJournalAsync(JournalTables.SqlServer with { TagMode = TagMode.TagTable });
        await using var closing = journal;
        await journal.ExecuteAsync(Journal);
        await journal.ExecuteAsync(TagTable);
        await journal.ExecuteAsync(Insert + "(N'a', 1, 0, N'', 11, 0x01, NULL, NULL), (N'a', 2, 0, N'', 12, 0x02, NULL, NULL)");
        await journal.ExecuteAsync("INSERT INTO dbo.tags VALUES (2, N'blue', 2, N'a')");
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var live = LiveReading.Of(reader.EventsByTag("blue"));
        await meter.UntilFollowingAsync(1);

        await using (var transaction = await journal.BeginAsync())
        {
            await transaction.RunAsync(Insert + "(N'b', 1, 0, N'', 13, 0x03, NULL, NULL)");
            await transaction.RunAsync("INSERT INTO dbo.tags SELECT Ordering, N'blue', SequenceNr, PersistenceID FROM dbo.EventJournal WHERE PersistenceID = N'b'");
            await transaction.CommitAsync();
        }

        Assert.Equal([2, 3], (await live.UntilAsync(2)).Orderings());
        Assert.Equal([2, 3], (await reader.CurrentEventsByTag("blue").AllAsync()).Orderings());
    }

    private static void IsWhole(IReadOnlyList<JournalEvent> events)
    {
        Assert.Equal([2, 3, 4], events.Numbers());
        Assert.Equal([2, 4, 5], events.Orderings());
        Assert.Equal([12, 14, 15], events.Select(each => each.Timestamp));
        Assert.Equal(["Some.Type, Some", "", "M"], events.Select(each => each.Manifest));
        Assert.Equal([null, 4, 1], events.Select(each => each.SerializerId));
        Assert.Equal(["0203", "", "04"], events.Select(each => Convert.ToHexString(each.Payload.Span)));
        Assert.Equal(["", "a b", "d"], events.Select(each => string.Join(' ', each.Tags)));
    }
}
