using Microsoft.Data.Sqlite;

namespace CrushTest.Floor;

/// <summary>
/// Microsoft.Data.Sqlite with one thread and one read-only connection per core. More do not help, because the library works on
/// the caller's thread. One prepared statement runs for each id, with a hundred ids in a transaction, because SQLite has no
/// arrays.
/// </summary>
internal sealed class SqliteFloor(string connection, JournalTables tables, FloorPlan plan) : IFloor
{
    public async Task<long> ReadAllAsync(CancellationToken cancellation)
    {
        var queue = new IdQueue(plan.Ids);
        var readers = Enumerable.Range(0, plan.Connections).Select(_ => Task.Factory.StartNew(
            () => Read(queue, cancellation), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default));
        return (await Task.WhenAll(readers)).Sum();
    }

    private long Read(IdQueue queue, CancellationToken cancellation)
    {
        using var open = new SqliteConnection(connection);
        open.Open();
        using var command = open.CreateCommand();
        command.CommandText =
            $"SELECT {FloorRow.Columns(tables)} FROM {tables.JournalTable} "
            + $"WHERE {tables.PersistenceIdColumn} = $id AND {tables.SequenceNumberColumn} >= $from "
            + $"ORDER BY {tables.SequenceNumberColumn} LIMIT {plan.Page}";
        var parameters = (Id: command.Parameters.Add("$id", SqliteType.Text), From: command.Parameters.Add("$from", SqliteType.Integer));
        var rows = new List<FloorRow>();
        var count = 0L;
        while (queue.Next() is { } ids)
        {
            cancellation.ThrowIfCancellationRequested();
            count += ReadHundred(command, parameters, ids, rows);
        }
        return count;
    }

    private long ReadHundred(
        SqliteCommand command, (SqliteParameter Id, SqliteParameter From) parameters, ArraySegment<string> ids, List<FloorRow> rows)
    {
        var (count, from) = (0L, 1L);
        List<string> unread = [.. ids];
        while (unread.Count > 0)
        {
            using var transaction = command.Connection!.BeginTransaction(deferred: true);
            command.Transaction = transaction;
            rows.Clear();
            unread.RemoveAll(id => !ReadPage(command, parameters, (id, from), rows));
            transaction.Commit();
            count += rows.Count;
            from += plan.Page;
        }
        return count;
    }

    private bool ReadPage(
        SqliteCommand command, (SqliteParameter Id, SqliteParameter From) parameters, (string Id, long From) page, List<FloorRow> rows)
    {
        (parameters.Id.Value, parameters.From.Value) = (page.Id, page.From);
        using var row = command.ExecuteReader();
        var before = rows.Count;
        while (row.Read())
            rows.Add(FloorRow.Read(row, 0));
        return rows.Count - before == plan.Page;
    }
}
