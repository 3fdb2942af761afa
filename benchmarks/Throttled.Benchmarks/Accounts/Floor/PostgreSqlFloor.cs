using BankAccounts.Handlers;
using Npgsql;
using NpgsqlTypes;

namespace Throttled.Benchmarks.Accounts.Floor;

/// <summary>Npgsql on one connection: COPY into a temporary table, then INSERT … ON CONFLICT from it.</summary>
internal sealed class PostgreSqlFloor(NpgsqlDataSource journal, NpgsqlDataSource readModel, FloorPlan plan) : IFloor
{
    private const string Temporary = "floor_changes";

    private readonly Folding _folding = new();

    private string Merge =>
        $"""
        INSERT INTO {AccountSql.Quoted(plan.Version)} AS kept (account_id, owner, balance, events)
        SELECT account_id, owner, cents, events FROM {Temporary} WHERE NOT closed
        ON CONFLICT (account_id) DO UPDATE SET
            owner = coalesce(excluded.owner, kept.owner), balance = kept.balance + excluded.balance, events = kept.events + excluded.events
        """;

    private string Delete =>
        $"DELETE FROM {AccountSql.Quoted(plan.Version)} AS kept USING {Temporary} AS gone WHERE gone.closed AND gone.account_id = kept.account_id";

    public async Task<long> RunAsync(CancellationToken cancellation)
    {
        await using var open = await readModel.OpenConnectionAsync(cancellation);
        await RunAsync(open, new PostgreSqlAccounts().Prepare(plan.Version), cancellation);
        await RunAsync(
            open,
            $"CREATE TEMPORARY TABLE {Temporary} (account_id text, owner text, cents bigint, events integer, closed boolean) ON COMMIT DELETE ROWS",
            cancellation);
        await using var reading = await journal.OpenConnectionAsync(cancellation);
        await using var select = new NpgsqlCommand(plan.Select("$1"), reading) { Parameters = { new() { NpgsqlDbType = NpgsqlDbType.Bigint } } };
        await using NpgsqlCommand merge = new(Merge, open), delete = new(Delete, open);
        await select.PrepareAsync(cancellation);
        await merge.PrepareAsync(cancellation);
        await delete.PrepareAsync(cancellation);
        var (count, read) = (0L, plan.Batch);
        while (read == plan.Batch)
        {
            read = await ReadAsync(select, cancellation);
            await WriteAsync(open, merge, delete, cancellation);
            count += read;
        }
        return count;
    }

    private async Task<int> ReadAsync(NpgsqlCommand select, CancellationToken cancellation)
    {
        select.Parameters[0].Value = _folding.LastOrdering;
        await using var row = await select.ExecuteReaderAsync(cancellation);
        return _folding.Read(row);
    }

    private async Task WriteAsync(NpgsqlConnection open, NpgsqlCommand merge, NpgsqlCommand delete, CancellationToken cancellation)
    {
        await using var transaction = await open.BeginTransactionAsync(cancellation);
        await CopyAsync(open, cancellation);
        await merge.ExecuteNonQueryAsync(cancellation);
        if (_folding.Changes.Values.Any(change => change.IsClosed))
            await delete.ExecuteNonQueryAsync(cancellation);
        await transaction.CommitAsync(cancellation);
    }

    private async Task CopyAsync(NpgsqlConnection open, CancellationToken cancellation)
    {
        await using var copy = await open.BeginBinaryImportAsync(
            $"COPY {Temporary} (account_id, owner, cents, events, closed) FROM STDIN (FORMAT BINARY)", cancellation);
        foreach (var (id, change) in _folding.Changes)
        {
            await copy.StartRowAsync(cancellation);
            await copy.WriteAsync(id, NpgsqlDbType.Text, cancellation);
            if (change.Owner is { } owner)
                await copy.WriteAsync(owner, NpgsqlDbType.Text, cancellation);
            else
                await copy.WriteNullAsync(cancellation);
            await copy.WriteAsync(change.Cents, NpgsqlDbType.Bigint, cancellation);
            await copy.WriteAsync(change.Events, NpgsqlDbType.Integer, cancellation);
            await copy.WriteAsync(change.IsClosed, NpgsqlDbType.Boolean, cancellation);
        }
        await copy.CompleteAsync(cancellation);
    }

    private static async Task RunAsync(NpgsqlConnection open, string text, CancellationToken cancellation)
    {
        await using var command = new NpgsqlCommand(text, open);
        await command.ExecuteNonQueryAsync(cancellation);
    }
}
