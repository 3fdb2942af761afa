using Npgsql;

namespace CrushTest.Floor;

/// <summary>
/// Npgsql with one prepared statement on each connection: unnest … CROSS JOIN LATERAL … LIMIT reads a page of each of a hundred
/// ids. On one machine, two connections per core keep client and server busy.
/// </summary>
internal sealed class PostgreSqlFloor(string connection, JournalTables tables, FloorPlan plan) : IFloor
{
    private string Text =>
        $"SELECT r.member, e.* FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS r (id, f, member) CROSS JOIN LATERAL ("
        + $"SELECT {FloorRow.Columns(tables)} FROM {tables.JournalTable} "
        + $"WHERE {tables.PersistenceIdColumn} = r.id AND {tables.SequenceNumberColumn} >= r.f "
        + $"ORDER BY {tables.SequenceNumberColumn} LIMIT {plan.Page}) e";

    public async Task<long> ReadAllAsync(CancellationToken cancellation)
    {
        await using var source = NpgsqlDataSource.Create(connection);
        var queue = new IdQueue(plan.Ids);
        var readers = Enumerable.Range(0, plan.Connections)
            .Select(_ => Task.Run(() => ReadAsync(source, queue, cancellation), cancellation));
        return (await Task.WhenAll(readers)).Sum();
    }

    private async Task<long> ReadAsync(NpgsqlDataSource source, IdQueue queue, CancellationToken cancellation)
    {
        await using var open = await source.OpenConnectionAsync(cancellation);
        var ids = new NpgsqlParameter<string[]> { TypedValue = [] };
        var from = new NpgsqlParameter<long[]> { TypedValue = [] };
        await using var command = new NpgsqlCommand(Text, open) { Parameters = { ids, from } };
        await command.PrepareAsync(cancellation);
        var rows = new List<FloorRow>();
        var count = 0L;
        while (queue.Next() is { } hundred)
        {
            (ids.TypedValue, from.TypedValue) = ([.. hundred], [.. hundred.Select(_ => 1L)]);
            while (ids.TypedValue.Length > 0)
            {
                var more = await FloorRow.ReadPagesAsync(command, rows, ids.TypedValue.Length, static row => row.GetInt64(0) - 1, cancellation);
                count += rows.Count;
                (ids.TypedValue, from.TypedValue) = Next(ids.TypedValue, from.TypedValue, more);
            }
        }
        return count;
    }

    private (string[] Ids, long[] From) Next(string[] ids, long[] from, int[] counts)
    {
        var full = Enumerable.Range(0, ids.Length).Where(i => counts[i] == plan.Page).ToArray();
        return ([.. full.Select(i => ids[i])], [.. full.Select(i => from[i] + plan.Page)]);
    }
}
