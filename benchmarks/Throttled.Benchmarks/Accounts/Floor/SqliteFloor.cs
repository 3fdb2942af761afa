using BankAccounts.Handlers;
using Microsoft.Data.Sqlite;

namespace Throttled.Benchmarks.Accounts.Floor;

/// <summary>Microsoft.Data.Sqlite on one thread: a prepared upsert for each account, with all upserts of a batch in one transaction.</summary>
internal sealed class SqliteFloor(string journal, string readModel, FloorPlan plan) : IFloor
{
    private readonly Folding _folding = new();

    private string Merge =>
        $"""
        INSERT INTO {AccountSql.Quoted(plan.Version)} AS kept (account_id, owner, balance, events) VALUES ($id, $owner, $cents, $events)
        ON CONFLICT (account_id) DO UPDATE SET
            owner = coalesce(excluded.owner, kept.owner), balance = kept.balance + excluded.balance, events = kept.events + excluded.events
        """;

    public Task<long> RunAsync(CancellationToken cancellation) => Task.Factory.StartNew(
        () => Run(cancellation), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private long Run(CancellationToken cancellation)
    {
        using SqliteConnection reading = new(journal), open = new(readModel);
        reading.Open();
        open.Open();
        using var select = reading.CreateCommand();
        select.CommandText = plan.Select("$after");
        select.Parameters.Add("$after", SqliteType.Integer);
        Run(open, "PRAGMA synchronous = FULL");
        Run(open, new SqliteAccounts().Prepare(plan.Version));
        using var merge = Parameterized(open, Merge, "$id", "$owner", "$cents", "$events");
        using var delete = Parameterized(open, ReplayHandler.Close(plan.Version), "@id");
        var (count, read) = (0L, plan.Batch);
        while (read == plan.Batch)
        {
            cancellation.ThrowIfCancellationRequested();
            select.Parameters[0].Value = _folding.LastOrdering;
            using (var row = select.ExecuteReader())
                read = _folding.Read(row);
            Write(open, merge, delete);
            count += read;
        }
        return count;
    }

    private void Write(SqliteConnection open, SqliteCommand merge, SqliteCommand delete)
    {
        using var transaction = open.BeginTransaction();
        (merge.Transaction, delete.Transaction) = (transaction, transaction);
        foreach (var (id, change) in _folding.Changes)
        {
            var command = change.IsClosed ? delete : merge;
            command.Parameters[0].Value = id;
            if (!change.IsClosed)
            {
                command.Parameters[1].Value = (object?)change.Owner ?? DBNull.Value;
                command.Parameters[2].Value = change.Cents;
                command.Parameters[3].Value = change.Events;
            }
            command.ExecuteNonQuery();
        }
        transaction.Commit();
    }

    private static SqliteCommand Parameterized(SqliteConnection open, string text, params string[] names)
    {
        var command = open.CreateCommand();
        command.CommandText = text;
        foreach (var name in names)
            command.Parameters.Add(new() { ParameterName = name });
        return command;
    }

    private static void Run(SqliteConnection open, string text)
    {
        using var command = open.CreateCommand();
        command.CommandText = text;
        command.ExecuteNonQuery();
    }
}
