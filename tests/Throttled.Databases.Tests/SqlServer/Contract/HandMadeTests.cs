namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>Tables made by hand, with other text types and other collations than the database.</summary>
[Collection(ServerCollection.Name)]
public sealed class HandMadeTests(SqlServerHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private static readonly string[] Types =
    [
        "VARCHAR({0})", "NVARCHAR({0}) COLLATE Latin1_General_BIN2", "VARCHAR({0}) COLLATE Latin1_General_BIN2", "NVARCHAR({0}) COLLATE Turkish_CI_AS",
        "VARCHAR({0}) COLLATE Japanese_CI_AS",
    ];

    public static TheoryData<string, TagMode> TypesInBothModes()
    {
        var data = new TheoryData<string, TagMode>();
        foreach (var type in Types)
        {
            data.Add(type, TagMode.TagTable);
            data.Add(type, TagMode.Csv);
        }
        return data;
    }

    [SqlServerTheory]
    [MemberData(nameof(TypesInBothModes))]
    public async Task Every_current_and_live_query_reads_a_hand_made_journal(string type, TagMode tags)
    {
        var journal = await NewAbsentJournalAsync(tags);
        await CreateAsync(journal, type);
        JournalEvent[] before = [.. Selections.Mixed(0, 40)], after = [.. Selections.Mixed(40, 20)];
        await journal.AppendAsync(before);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 4 }));
        var selections = Enum.GetValues<Selection>().ToList();
        var live = selections.ConvertAll(selection => LiveReading.Of(reader.Read(selection, live: true)));
        await using var crowd = new Crowd(reader, TestEvents.Ids("id", 7));
        await using var ids = LiveReading.Of(reader.PersistenceIds());
        foreach (var selection in selections)
            (await reader.Read(selection, live: false).AllAsync()).AreExactly(selection.Of(before));
        Assert.Equal(TestEvents.Ids("id", 7), (await reader.CurrentPersistenceIds().AllAsync()).Order(StringComparer.Ordinal));
        await meter.UntilFollowingAsync(selections.Count + 8);

        await journal.AppendAsync(after);

        foreach (var (selection, reading) in selections.Zip(live))
        {
            (await reading.UntilAsync(selection.Of([.. before, .. after]).Count)).AreExactly(selection.Of([.. before, .. after]));
            await reading.DisposeAsync();
        }
        await crowd.UntilAsync(before.Length + after.Length);
        Assert.Equal(7, (await ids.UntilAsync(7)).Distinct().Count());
    }

    // Whether 'i' and 'I' are equal depends on the collation: Turkish has four of them. If more than two are equal, a scan of ids returns two.
    [SqlServerTheory]
    [MemberData(nameof(TypesInBothModes))]
    public async Task Ids_and_tags_are_compared_exactly_whatever_the_collation(string type, TagMode tags)
    {
        var journal = await NewAbsentJournalAsync(tags);
        await CreateAsync(journal, type);
        string[] texts = ["id", "ID", "id-1", "i"];
        await journal.AppendAsync([.. texts.Select((text, i) => TestEvents.One(text, i + 1).With(text))]);
        var reader = journal.OpenReader();

        foreach (var text in texts)
        {
            Assert.Equal(text, Assert.Single(await reader.CurrentEventsByPersistenceId(text).AllAsync()).PersistenceId);
            Assert.Equal(text, Assert.Single(await reader.CurrentEventsByTag(text).AllAsync()).PersistenceId);
        }
        Assert.Equal(texts.Order(StringComparer.Ordinal), (await reader.CurrentPersistenceIds().AllAsync()).Order(StringComparer.Ordinal));
    }

    // A text that the column cannot store must not be compared with question marks in the place of its characters.
    [SqlServerTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task A_text_that_a_narrow_column_cannot_store_finds_nothing(TagMode tags)
    {
        var journal = await NewAbsentJournalAsync(tags);
        await CreateAsync(journal, "VARCHAR({0})");
        await journal.AppendAsync(TestEvents.One("??", 1).With("??"), TestEvents.One("?", 1).With("?"));
        var reader = journal.OpenReader();

        Assert.Empty(await reader.CurrentEventsByPersistenceId("事件").AllAsync());
        Assert.Empty(await reader.CurrentEventsByTag("事件").AllAsync());
        Assert.Single(await reader.CurrentEventsByPersistenceId("??").AllAsync());
        Assert.Single(await reader.CurrentEventsByTag("??").AllAsync());
    }

    private static async Task CreateAsync(JournalUnderTest journal, string type)
    {
        await journal.ExecuteAsync(
            $"CREATE TABLE journal (ordering BIGINT IDENTITY PRIMARY KEY, deleted BIT NOT NULL, persistence_id {Of(type, 255)} NOT NULL, "
            + "sequence_number BIGINT NOT NULL, created BIGINT NOT NULL, message VARBINARY(MAX) NOT NULL, identifier INT NULL, "
            + $"manifest {Of(type, 500)} NULL, writer_uuid {Of(type, 128)} NULL{(journal.Tables.TagMode == TagMode.Csv ? $", tags {Of(type, 2000)} NULL" : "")}, "
            + "UNIQUE (persistence_id, sequence_number))");
        if (journal.Tables.TagMode == TagMode.TagTable)
        {
            await journal.ExecuteAsync(
                $"CREATE TABLE tags (ordering_id BIGINT NOT NULL, tag {Of(type, 64)} NOT NULL, sequence_nr BIGINT NOT NULL, "
                + $"persistence_id {Of(type, 255)} NOT NULL, PRIMARY KEY (ordering_id, tag))");
        }
    }

    private static string Of(string type, int length) => string.Format(null, type, length);
}
