namespace Throttled.Projections.Store;

/// <summary>Rows that one statement is about: a column is a name and an array, all of the same length.</summary>
internal sealed class SqlRows(params (string Name, Array Values)[] columns)
{
    internal int Count => columns[0].Values.Length;

    internal IEnumerable<string> Names => columns.Select(column => column.Name);

    internal (string Name, object? Value)[] Arrays => [.. columns.Select(column => (column.Name, (object?)column.Values))];

    internal (string Name, object? Value)[] Row(int index) =>
        [.. columns.Select(column => (column.Name, column.Values.GetValue(index)))];
}
