using System.Data.Common;

namespace Throttled.Journal.Contract;

/// <summary>A transaction by hand: its events have their orderings at once, and are there when it commits. Rolled back if disposed before.</summary>
public sealed class RawTransaction(JournalUnderTest journal, DbConnection connection) : IAsyncDisposable
{
    private DbTransaction? _transaction;

    /// <summary>Inserts events, without their tags.</summary>
    public async Task InsertAsync(params IEnumerable<JournalEvent> events)
    {
        _transaction ??= await connection.BeginTransactionAsync();
        foreach (var each in events)
            await InsertAsync(each);
    }

    public async Task RunAsync(string sql)
    {
        _transaction ??= await connection.BeginTransactionAsync();
        await using var command = connection.CreateCommand();
        (command.Transaction, command.CommandText) = (_transaction, sql);
        await command.ExecuteNonQueryAsync();
    }

    public Task CommitAsync() => _transaction!.CommitAsync();

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_transaction is not null)
            await _transaction.DisposeAsync();
        await connection.DisposeAsync();
    }

    private async Task InsertAsync(JournalEvent each)
    {
        var tables = journal.Tables;
        string[] columns =
        [
            tables.DeletedColumn, tables.PersistenceIdColumn, tables.SequenceNumberColumn, tables.TimestampColumn,
            tables.PayloadColumn, tables.SerializerIdColumn, tables.ManifestColumn,
        ];
        await using var command = connection.CreateCommand();
        command.Transaction = _transaction;
        command.CommandText =
            $"INSERT INTO {journal.Table} ({string.Join(", ", columns.Select(journal.Quote))}) "
            + "VALUES (FALSE, @id, @number, @timestamp, @payload, @serializer, @manifest)";
        Bind(command, "id", each.PersistenceId);
        Bind(command, "number", each.SequenceNumber);
        Bind(command, "timestamp", each.Timestamp);
        Bind(command, "payload", each.Payload.ToArray());
        Bind(command, "serializer", each.SerializerId ?? 0);
        Bind(command, "manifest", each.Manifest);
        await command.ExecuteNonQueryAsync();
    }

    private static void Bind(DbCommand command, string name, object value)
    {
        var parameter = command.CreateParameter();
        (parameter.ParameterName, parameter.Value) = (name, value);
        command.Parameters.Add(parameter);
    }
}
