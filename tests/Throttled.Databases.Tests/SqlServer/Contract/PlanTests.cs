using System.Xml.Linq;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Rows;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>The cost of a statement depends on its rows: it seeks in the journal, and sorts no payloads.</summary>
[Collection(SnapshotCollection.Name)]
public sealed class PlanTests(SnapshotSqlServerHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const string NoPlans = "its plans are PostgreSQL's";

    private const string Fill =
        "INSERT INTO journal (deleted, persistence_id, sequence_number, created, message) "
        + "SELECT 0, CONCAT(N'id-', n.n % 100), n.n, 0, CONVERT(VARBINARY(2000), REPLICATE('x', 2000)) "
        + "FROM (SELECT TOP (50000) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n FROM sys.all_objects AS a CROSS JOIN sys.all_objects AS b) AS n; "
        + "INSERT INTO tags (ordering_id, tag, sequence_nr, persistence_id) SELECT ordering, CASE WHEN ordering % 2 = 0 THEN N'even' ELSE N'odd' END, 1, N'' FROM journal";

    [RealServerTheory(NoPlans)]
    [InlineData("")]
    [InlineData("UPDATE STATISTICS journal; UPDATE STATISTICS tags")]
    public async Task Nothing_is_scanned_and_no_payload_is_sorted(string statistics)
    {
        var journal = await NewJournalAsync();
        await journal.ExecuteAsync($"{Fill}; {statistics}");
        var sql = new SqlServerJournalSql(journal.Tables);
        var requests = Enumerable.Range(0, 100).Select(i => new ByIdRequest($"id-{i}", new(1, 100_000), 10)).ToArray();

        await SeeksAsync(journal, sql.Page, Of("id-7"), Of(1L), Of(100_000L), Of(10));
        await SeeksAsync(journal, sql.Pages, List(requests), Of(1_000));
        await SeeksAsync(journal, sql.Ordered, Of(40_000L), Of(50_000L), Of(100));
        await SeeksAsync(journal, sql.OrderedByTable, Of(40_000L), Of(50_000L), Of("even"), Of(100));
        await SeeksAsync(journal, sql.Rows, List([5L, 7L, 40_000L]));
        await SeeksAsync(journal, sql.Tags, List([5L, 7L, 40_000L]));
        await SeeksAsync(journal, sql.Keys.From, Of(49_000L), Of(100));
        await SeeksAsync(journal, sql.Keys.InGaps, List([new OrderingRange(5, 7), new OrderingRange(40_000, 40_001)]), Of(100));
        await SeeksAsync(journal, sql.RowsFrom, Of(49_000L), Of(100));
        await SeeksAsync(journal, sql.LastKey);
        await SeeksAsync(journal, sql.Ids, Of("id-5"), Of(10));
    }

    private async Task SeeksAsync(JournalUnderTest journal, string sql, params SqlParameter[] parameters)
    {
        var plan = await PlanAsync(journal, sql, parameters);
        Output.WriteLine($"{sql}\n{plan}\n");
        var operators = plan.Descendants().Where(node => node.Name.LocalName == "RelOp").ToList();
        Assert.NotEmpty(operators);
        foreach (var one in operators)
        {
            // A scan that stops after its first rows walks in the order of the index.
            var (kind, read) = ((string)one.Attribute("PhysicalOp")!, RowsRead(one));
            Assert.False(kind is "Table Scan" || (kind is "Clustered Index Scan" or "Index Scan" && read > 10_000), $"{kind}: {sql}");
            Assert.False(kind is "Sort" && Outputs(one).Contains("message"), $"payloads are sorted: {sql}");
        }
    }

    // The rows that were actually read. Estimates do not know that the client stopped early.
    private static long RowsRead(XElement one) => one.Elements()
        .Where(node => node.Name.LocalName == "RunTimeInformation")
        .Elements()
        .Sum(thread => (long?)thread.Attribute("ActualRowsRead") ?? (long)thread.Attribute("ActualRows")!);

    private static IEnumerable<string?> Outputs(XElement one) => one.Elements()
        .Where(node => node.Name.LocalName == "OutputList")
        .Elements()
        .Select(column => (string?)column.Attribute("Column"));

    // The plan comes after the rows.
    private static async Task<XElement> PlanAsync(JournalUnderTest journal, string sql, SqlParameter[] parameters)
    {
        await using var connection = (SqlConnection)await journal.ConnectAsync();
        await connection.RunAsync("SET STATISTICS XML ON");
        await using var command = new SqlCommand(sql, connection);
        for (var i = 0; i < parameters.Length; i++)
            parameters[i].ParameterName = $"@p{i + 1}";
        command.Parameters.AddRange(parameters);
        await using var reader = await command.ExecuteReaderAsync();
        Assert.True(await reader.NextResultAsync() && await reader.ReadAsync());
        return XElement.Parse(reader.GetString(0));
    }
}
