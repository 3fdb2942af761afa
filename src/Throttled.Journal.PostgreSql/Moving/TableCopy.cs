using Throttled.Journal.Sharding.Moving;

namespace Throttled.Journal.PostgreSql.Moving;

/// <summary>The statements that copy a table.</summary>
internal static class TableCopy
{
    internal static async Task ScanAsync(MoveSession session, TableShape shape, IRowSink rows, CancellationToken cancellation)
    {
        var stream = await session.Connection.BeginRawBinaryCopyAsync(Out(session, shape), cancellation).ConfigureAwait(false);
        await using var closing = stream.ConfigureAwait(false);
        await new CopyOut(stream, shape.Table).ReadAsync(rows, cancellation).ConfigureAwait(false);
    }

    internal static string In(MoveSession session, TableShape shape) =>
        $"COPY {session.Quoted(shape.Table)} ({string.Join(", ", shape.Columns.Select(column => session.Quote(column.Name)))}) FROM STDIN (FORMAT BINARY)";

    private static string Out(MoveSession session, TableShape shape)
    {
        var columns = string.Join(", ", shape.Columns.Select(column => $"t.{session.Quote(column.Name)}"));
        var id = shape.HasId ? $"t.{session.Quote(shape.Table.IdColumn)}" : $"j.{session.Quote(session.Tables.PersistenceIdColumn)}";
        return $"COPY (SELECT {id}::text, {columns} FROM {session.Quoted(shape.Table)} t{Join(session, shape)} "
            + $"ORDER BY {Keys(session, shape)}) TO STDOUT (FORMAT BINARY)";
    }

    private static string Join(MoveSession session, TableShape shape) => shape.HasId ? ""
        : $" LEFT JOIN {session.Journal} j ON j.{session.Quote(session.Tables.OrderingColumn)} = t.{session.Quote(shape.Table.OrderingColumn!)}";

    // Texts by their bytes: two databases may have collations that differ.
    private static string Keys(MoveSession session, TableShape shape)
    {
        string?[] keys =
        [
            shape.Table.OrderingColumn is { } ordering ? $"t.{session.Quote(ordering)}" : null,
            shape.Table.TextKey is { } text ? $"t.{session.Quote(text)}::text COLLATE \"C\"" : null,
        ];
        return string.Join(", ", keys.Where(key => key is not null));
    }
}
