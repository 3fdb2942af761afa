namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>The older plugin can store payloads as JSON, without a serializer id. Every query delivers their text.</summary>
[Collection(ServerCollection.Name)]
public sealed class JsonPayloadTests(PostgreSqlHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    [PostgreSqlTheory]
    [InlineData("json", TagMode.TagTable)]
    [InlineData("json", TagMode.Csv)]
    [InlineData("jsonb", TagMode.TagTable)]
    [InlineData("jsonb", TagMode.Csv)]
    public async Task Every_query_delivers_the_text_of_a_payload(string type, TagMode tags)
    {
        var journal = await NewJournalAsync(Layouts.Named("postgresql", tags));
        await journal.ExecuteAsync(
            $"ALTER TABLE {journal.Table} ALTER COLUMN payload TYPE {type} USING convert_from(payload, 'UTF8')::{type}");
        string[] texts = ["""{"n": 1, "name": "Zoë 🎫"}""", "[]", "\"text\"", "null", $"\"{new string('x', 100_000)}\""];
        await InsertAsync(journal, texts, 1);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 2 }));
        IAsyncEnumerable<JournalEvent>[] live =
            [reader.AllEvents(), reader.EventsByTag("blue"), reader.EventsBySlices(0, 1023), reader.EventsByPersistenceId("a")];
        var readings = live.Select(query => LiveReading.Of(query)).ToList();
        await meter.UntilFollowingAsync(readings.Count);
        await InsertAsync(journal, texts, 1 + texts.Length);

        foreach (var reading in readings)
        {
            var found = await reading.UntilAsync(2 * texts.Length);
            Assert.Equal([.. texts, .. texts], found.Texts());
            Assert.All(found, each => Assert.Null(each.SerializerId));
            await reading.DisposeAsync();
        }
        IAsyncEnumerable<JournalEvent>[] current =
        [
            reader.CurrentAllEvents(), reader.CurrentEventsByTag("blue"), reader.CurrentEventsBySlices(0, 1023),
            reader.CurrentEventsByPersistenceId("a"),
        ];
        foreach (var query in current)
            Assert.Equal([.. texts, .. texts], (await query.AllAsync()).Texts());
    }

    [PostgreSqlTheory]
    [InlineData("json", "json")]
    [InlineData("jsonb", "jsonb")]
    [InlineData("text", "text")]
    [InlineData("varchar", "varchar")]
    [InlineData("CREATE DOMAIN stored AS jsonb", "stored")]
    public async Task A_limit_counts_the_bytes_of_the_text(string create, string type)
    {
        var journal = await NewJournalAsync(Layouts.Named("postgresql", TagMode.Csv));
        if (create != type)
            await journal.ExecuteAsync(create);
        await journal.ExecuteAsync(
            $"ALTER TABLE {journal.Table} ALTER COLUMN payload TYPE {type} USING convert_from(payload, 'UTF8')::{type}");
        // 12 and 13 bytes, though both have 10 characters. The text format of bytea would be longer.
        string[] texts = ["\"123456éé\"", "\"12345ééé\""];
        await InsertAsync(journal, texts, 1);
        var reader = journal.OpenReader(new() { MaxPayloadBytes = 12, OnLargePayload = LargePayloadAction.OmitPayload });

        foreach (var query in (IAsyncEnumerable<JournalEvent>[])[reader.CurrentAllEvents(), reader.CurrentEventsByTag("blue"), reader.CurrentEventsByPersistenceId("a")])
        {
            var events = await query.AllAsync();
            Assert.Equal([texts[0], ""], events.Texts());
            Assert.Equal([0, 13], events.Select(each => each.OmittedPayloadBytes));
        }
    }

    private static async Task InsertAsync(JournalUnderTest journal, string[] texts, int from)
    {
        await using var transaction = await journal.BeginAsync();
        var isTable = journal.Tables.TagMode == TagMode.TagTable;
        foreach (var (text, i) in texts.Select((text, i) => (text, i)))
        {
            var insert = $"INSERT INTO {journal.Table} (persistence_id, sequence_nr, is_deleted, created_at, payload{(isTable ? "" : ", tags")}) "
                + $"VALUES ('a', {from + i}, false, 1, '{text}'{(isTable ? "" : ", ';blue;'")})";
            await transaction.RunAsync(isTable
                ? $"WITH event AS ({insert} RETURNING ordering) INSERT INTO {journal.TagTable} SELECT ordering, 'blue', {from + i}, 'a' FROM event"
                : insert);
        }
        await transaction.CommitAsync();
    }
}
