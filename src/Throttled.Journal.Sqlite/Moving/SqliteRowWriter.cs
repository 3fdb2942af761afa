using Throttled.Journal.Sharding.Moving;

namespace Throttled.Journal.Sqlite.Moving;

/// <summary>Inserts rows in the form of <see cref="SqliteRowForm"/>.</summary>
/// <param name="insert">The statement; a parameter a column.</param>
/// <param name="columns">How many there are.</param>
internal sealed class SqliteRowWriter(SqliteStatement insert, int columns) : IRowWriter
{
    public ValueTask WriteAsync(ReadOnlyMemory<byte> rows, CancellationToken cancellation)
    {
        var left = rows.Span;
        while (!left.IsEmpty)
        {
            left = SqliteRowForm.Bind(insert, left, columns);
            insert.Run();
        }
        return default;
    }

    public Task CompleteAsync(CancellationToken cancellation) => Task.CompletedTask;

    public ValueTask DisposeAsync() => default;
}
