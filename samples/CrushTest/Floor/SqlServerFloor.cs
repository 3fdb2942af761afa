using System.Data;
using System.Text.Json;
using Microsoft.Data.SqlClient;

namespace CrushTest.Floor;

/// <summary>
/// Microsoft.Data.SqlClient with one statement on each connection: OPENJSON … CROSS APPLY (SELECT TOP …) reads a page of each
/// of a hundred ids. On one machine, two connections per core keep client and server busy.
/// </summary>
internal sealed class SqlServerFloor(string connection, JournalTables tables, FloorPlan plan) : IFloor
{
    private string Text =>
        "SELECT r.member, e.* FROM OPENJSON(@pages) WITH (member int '$.member', id nvarchar(255) '$.id', f bigint '$.from') r CROSS APPLY ("
        + $"SELECT TOP ({plan.Page}) {FloorRow.Columns(tables)} FROM {tables.JournalTable} "
        + $"WHERE {tables.PersistenceIdColumn} = r.id AND {tables.SequenceNumberColumn} >= r.f "
        + $"ORDER BY {tables.SequenceNumberColumn}) e";

    public async Task<long> ReadAllAsync(CancellationToken cancellation)
    {
        // New connections for each run, as in each round of the engine. A pool would keep the connections of the last round.
        var own = new SqlConnectionStringBuilder(connection) { Pooling = false }.ConnectionString;
        var queue = new IdQueue(plan.Ids);
        var readers = Enumerable.Range(0, plan.Connections)
            .Select(_ => Task.Run(() => ReadAsync(own, queue, cancellation), cancellation));
        return (await Task.WhenAll(readers)).Sum();
    }

    private async Task<long> ReadAsync(string own, IdQueue queue, CancellationToken cancellation)
    {
        await using var open = new SqlConnection(own);
        await open.OpenAsync(cancellation);
        await using var command = new SqlCommand(Text, open) { CommandTimeout = 0 };
        var pages = command.Parameters.Add("@pages", SqlDbType.NVarChar, -1);
        var rows = new List<FloorRow>();
        var count = 0L;
        while (queue.Next() is { } hundred)
        {
            FloorPage[] next = [.. hundred.Select((id, member) => new FloorPage(member, id, 1))];
            while (next.Length > 0)
            {
                pages.Value = JsonSerializer.Serialize(next, JsonSerializerOptions.Web);
                var counts = await FloorRow.ReadPagesAsync(command, rows, next.Length, static row => row.GetInt32(0), cancellation);
                count += rows.Count;
                next = Next(next, counts);
            }
        }
        return count;
    }

    private FloorPage[] Next(FloorPage[] read, int[] counts) =>
        [.. read.Where(page => counts[page.Member] == plan.Page).Select((page, member) => new FloorPage(member, page.Id, page.From + plan.Page))];

    /// <summary>A page of an id, as a parameter of the statement.</summary>
    private sealed record FloorPage(int Member, string Id, long From);
}
