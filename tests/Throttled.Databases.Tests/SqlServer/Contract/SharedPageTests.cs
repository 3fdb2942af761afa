using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>A statement for several ids with more rows than its limit.</summary>
[Collection(ServerCollection.Name)]
public sealed class SharedPageTests(SqlServerHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int EventsOfEach = 20;

    // The server cuts within the rows of one id, and may sort them first. The rows that it leaves out must be the last ones.
    [SqlServerTheory]
    [InlineData(7)]
    [InlineData(30)]
    [InlineData(133)]
    public async Task Each_query_gets_its_first_rows_wherever_the_result_is_cut(int most)
    {
        var journal = (SqlServerJournalUnderTest)await NewJournalAsync(TagMode.Csv);
        var ids = TestEvents.Ids("id", 30);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, EventsOfEach)]);
        await using var database = SqlServerJournal.OpenDatabase(journal.ReaderConnectionString, new() { Tables = journal.ReadTables });
        await database.ProbeAsync(default);
        var rows = new ByIdRows([.. ids.Select(id => new ByIdRequest(id, new(1, long.MaxValue), EventsOfEach))], most, new ByteBudget(long.MaxValue));

        await database.ReadPagesAsync(rows, default);

        rows.Complete();
        var pages = rows.Pages.TakeWhile(page => page is not null).Select(page => page!.Value).ToList();
        Assert.Equal(most, pages.Sum(page => page.Page?.Count ?? 0));
        Assert.All(pages, page => Assert.Equal(
            Reading.Numbers(1, page.LastRow!.Value), Enumerable.Range(0, page.Page!.Count).Select(i => page.Page[i]!.SequenceNumber)));
    }
}
