using System.Data;
using BankAccounts.Handlers;
using Microsoft.Data.SqlClient;

namespace Throttled.Benchmarks.Accounts.Floor;

/// <summary>Microsoft.Data.SqlClient on one connection: a bulk copy into a temporary table, then UPDATE, INSERT and DELETE from it.</summary>
internal sealed class SqlServerFloor(string journal, string readModel, FloorPlan plan) : IFloor
{
    private const string Temporary = "#floor_changes";

    private readonly Folding _folding = new();

    /// <summary>All statements, for a test that parses them.</summary>
    internal IEnumerable<string> Statements => [new SqlServerAccounts().Prepare(plan.Version), Create, Select, Merge, Delete];

    private static string Create =>
        $"CREATE TABLE {Temporary} (account_id {SqlServerAccounts.Id} NOT NULL PRIMARY KEY, owner nvarchar(100) NULL, cents bigint NOT NULL, events int NOT NULL, closed bit NOT NULL)";

    private string Select =>
        $"SELECT TOP ({plan.Batch}) {plan.Tables.OrderingColumn}, {plan.Tables.PersistenceIdColumn}, {plan.Tables.ManifestColumn}, {plan.Tables.PayloadColumn} "
        + $"FROM {plan.Tables.JournalTable} WHERE {plan.Tables.OrderingColumn} > @after ORDER BY {plan.Tables.OrderingColumn}";

    private string Merge =>
        $"""
        UPDATE kept SET owner = COALESCE(changed.owner, kept.owner), balance = kept.balance + changed.cents, events = kept.events + changed.events
        FROM {AccountSql.Quoted(plan.Version)} AS kept JOIN {Temporary} AS changed ON changed.account_id = kept.account_id WHERE changed.closed = 0;
        INSERT INTO {AccountSql.Quoted(plan.Version)} (account_id, owner, balance, events)
        SELECT changed.account_id, changed.owner, changed.cents, changed.events FROM {Temporary} AS changed
        WHERE changed.closed = 0 AND NOT EXISTS (SELECT 1 FROM {AccountSql.Quoted(plan.Version)} AS kept WHERE kept.account_id = changed.account_id);
        """;

    private string Delete =>
        $"DELETE kept FROM {AccountSql.Quoted(plan.Version)} AS kept JOIN {Temporary} AS gone ON gone.account_id = kept.account_id WHERE gone.closed = 1;";

    public async Task<long> RunAsync(CancellationToken cancellation)
    {
        await using SqlConnection reading = new(journal), open = new(readModel);
        await reading.OpenAsync(cancellation);
        await open.OpenAsync(cancellation);
        await RunAsync(open, null, new SqlServerAccounts().Prepare(plan.Version), cancellation);
        await RunAsync(open, null, Create, cancellation);
        await using var select = new SqlCommand(Select, reading) { CommandTimeout = 0 };
        select.Parameters.Add("@after", SqlDbType.BigInt);
        var (count, read) = (0L, plan.Batch);
        while (read == plan.Batch)
        {
            select.Parameters[0].Value = _folding.LastOrdering;
            await using (var row = await select.ExecuteReaderAsync(cancellation))
                read = _folding.Read(row);
            await WriteAsync(open, cancellation);
            count += read;
        }
        return count;
    }

    private async Task WriteAsync(SqlConnection open, CancellationToken cancellation)
    {
        await using var transaction = (SqlTransaction)await open.BeginTransactionAsync(cancellation);
        using var copy = new SqlBulkCopy(open, SqlBulkCopyOptions.TableLock, transaction) { DestinationTableName = Temporary, BulkCopyTimeout = 0 };
        await copy.WriteToServerAsync(Rows(), cancellation);
        await RunAsync(open, transaction, Merge, cancellation);
        if (_folding.Changes.Values.Any(change => change.IsClosed))
            await RunAsync(open, transaction, Delete, cancellation);
        await RunAsync(open, transaction, $"TRUNCATE TABLE {Temporary}", cancellation);
        await transaction.CommitAsync(cancellation);
    }

    private DataTable Rows()
    {
        var rows = new DataTable();
        foreach (var (name, type) in ((string, Type)[])[("account_id", typeof(string)), ("owner", typeof(string)), ("cents", typeof(long)), ("events", typeof(int)), ("closed", typeof(bool))])
            rows.Columns.Add(name, type);
        foreach (var (id, change) in _folding.Changes)
            rows.Rows.Add(id, change.Owner, change.Cents, change.Events, change.IsClosed);
        return rows;
    }

    private static async Task RunAsync(SqlConnection open, SqlTransaction? transaction, string text, CancellationToken cancellation)
    {
        await using var command = new SqlCommand(text, open, transaction) { CommandTimeout = 0 };
        await command.ExecuteNonQueryAsync(cancellation);
    }
}
