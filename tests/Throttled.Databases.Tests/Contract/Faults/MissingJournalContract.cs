namespace Throttled.Databases.Tests.Contract;

/// <summary>A reader can be opened before its journal exists.</summary>
public abstract class MissingJournalContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private static readonly string[] Names = ["ById", "Ids", .. Enum.GetNames<Selection>()];

    public static TheoryData<string, bool> Queries()
    {
        var data = new TheoryData<string, bool>();
        foreach (var query in Names)
        {
            data.Add(query, false);
            data.Add(query, true);
        }
        return data;
    }

    [ContractTheory]
    [MemberData(nameof(Queries))]
    public async Task A_query_waits_for_the_journal_and_then_delivers_its_events(string query, bool live)
    {
        var journal = await NewAbsentJournalAsync();
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var reading = LiveReading.Of(Open(reader, query, live));
        await meter.MoreAsync(2, "probe");

        // A current query reads as soon as it can, so the table and the events become visible together.
        await using var transaction = live ? null : await CreateUnseenAsync(journal);
        if (live)
        {
            await journal.CreateAsync();
            await journal.AppendAsync(Events);
        }
        else
            await transaction!.CommitAsync();

        Assert.Equal(query == "Ids" ? ["id-2"] : Events.Texts(), await reading.UntilAsync(query == "Ids" ? 1 : 3));
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Live_queries_wait_for_all_tables(TagMode tags)
    {
        var journal = await NewAbsentJournalAsync(tags);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        var readings = Names.Select(query => LiveReading.Of(Open(reader, query, live: true))).ToList();
        await meter.MoreAsync(2, "probe");

        await journal.CreateAsync();
        await meter.UntilFollowingAsync(readings.Count);
        await journal.AppendAsync(Events);

        foreach (var reading in readings)
        {
            Assert.Contains((await reading.UntilAsync(1))[0], (string[])["id-2", "id-2/1"]);
            await reading.DisposeAsync();
        }
    }

    // Write plugins create the two tables one after the other.
    [ContractTheory]
    [MemberData(nameof(Queries))]
    public async Task A_query_waits_for_the_tag_table_beside_an_empty_journal(string query, bool live)
    {
        var journal = await NewAbsentJournalAsync(TagMode.TagTable);
        await journal.CreateAsync();
        await journal.ExecuteAsync(journal.Rename("tags", "hidden"));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var reading = LiveReading.Of(Open(reader, query, live));
        await meter.MoreAsync(2, "probe");

        await journal.ExecuteAsync(journal.Rename("hidden", "tags"));

        if (!live)
        {
            await reading.Ended.WithinAsync("the end");
            return;
        }
        await journal.AppendAsync(Events);
        Assert.Equal(query == "Ids" ? ["id-2"] : Events.Texts(), await reading.UntilAsync(query == "Ids" ? 1 : 3));
    }

    [ContractTheory]
    [MemberData(nameof(Queries))]
    public async Task A_query_does_not_wait_for_the_tag_table_beside_events(string query, bool live)
    {
        var journal = await NewAbsentJournalAsync(TagMode.TagTable);
        await journal.CreateAsync();
        await journal.AppendAsync(Events);
        await journal.ExecuteAsync($"DROP TABLE {journal.TagTable}");

        var error = await Assert.ThrowsAsync<JournalException>(() => Open(journal.OpenReader(), query, live).AllAsync());

        Assert.Contains("set 'TagMode' to Csv", error.Message, StringComparison.Ordinal);
    }

    [ContractTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Queries_of_an_empty_journal_wait_for_its_tag_table(bool requireTable)
    {
        var journal = await NewJournalAsync(tags: TagMode.TagTable);
        await HideTagTableAsync("tags", "hidden");
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { RequireTable = requireTable }));
        if (requireTable)
        {
            var error = await Assert.ThrowsAsync<JournalException>(() => reader.Read(Selection.Tag, live: true).AllAsync());
            Assert.StartsWith($"The tag table {journal.TagTable} is not there (", error.Message, StringComparison.Ordinal);
            return;
        }
        await using var reading = LiveReading.Of(reader.Read(Selection.Tag, live: true).Select(TestEvents.TextOf));
        await meter.MoreAsync(2, "probe");

        await HideTagTableAsync("hidden", "tags");
        await journal.AppendAsync(Events);

        Assert.Equal(Events.Texts(), await reading.UntilAsync(3));

        async Task HideTagTableAsync(string from, string to)
        {
            await using var transaction = await journal.BeginAsync();
            await transaction.RunAsync(journal.Rename(from, to));
            await transaction.CommitAsync();
        }
    }

    [ContractTheory]
    [MemberData(nameof(Queries))]
    public async Task Without_a_required_table_a_query_fails_with_the_remedy(string query, bool live)
    {
        var journal = await NewAbsentJournalAsync();
        var reader = journal.OpenReader(new() { RequireTable = true });

        var error = await Assert.ThrowsAsync<JournalException>(() => Open(reader, query, live).AllAsync());

        Assert.Contains(", or leave 'RequireTable' off to wait for it.", error.Message, StringComparison.Ordinal);
        Assert.NotNull(error.InnerException);
    }

    [ContractTheory]
    [MemberData(nameof(Queries))]
    public async Task A_query_that_waits_for_the_journal_can_be_cancelled(string query, bool live)
    {
        var journal = await NewAbsentJournalAsync();
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        var reading = LiveReading.Of(Open(reader, query, live));
        await meter.MoreAsync(1, "probe");

        await reading.DisposeAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.Ended);
    }

    private static JournalEvent[] Events => [.. TestEvents.Of("id-2", 1, 3).Select(each => each.With(Selections.Tag))];

    private static IAsyncEnumerable<string> Open(JournalReader reader, string query, bool live) => query switch
    {
        "ById" => reader.Events(live, "id-2").Select(TestEvents.TextOf),
        "Ids" => reader.Ids(live),
        _ => reader.Read(Enum.Parse<Selection>(query), live).Select(TestEvents.TextOf),
    };

    private static async Task<RawTransaction> CreateUnseenAsync(JournalUnderTest journal)
    {
        var tables = journal.Tables;
        var transaction = await journal.BeginAsync();
        await transaction.RunAsync(
            $"CREATE TABLE {journal.Table} ({journal.Quote(tables.OrderingColumn)} {journal.OrderingType}, "
            + $"{journal.Quote(tables.DeletedColumn)} {journal.BooleanType} NOT NULL, {journal.Quote(tables.PersistenceIdColumn)} VARCHAR(255) NOT NULL, "
            + $"{journal.Quote(tables.SequenceNumberColumn)} BIGINT NOT NULL, {journal.Quote(tables.TimestampColumn)} BIGINT NOT NULL, "
            + $"{journal.Quote(tables.PayloadColumn)} {journal.BytesType} NOT NULL, {journal.Quote(tables.SerializerIdColumn)} INTEGER, "
            + $"{journal.Quote(tables.ManifestColumn)} VARCHAR(500), {journal.Quote(tables.TagsColumn)} VARCHAR(2000))");
        await transaction.InsertAsync(Events);
        return transaction;
    }
}
