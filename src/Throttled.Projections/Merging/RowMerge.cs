using System.Data.Common;

namespace Throttled.Projections.Merging;

/// <summary>SQLite: one prepared statement, stepped for each row. There is no way to a server that would be saved.</summary>
internal sealed class RowMerge : MergeWriter
{
    internal static RowMerge Instance { get; } = new();

    internal override MergeStatements Spell(string table, IReadOnlyList<MergeColumn> columns)
    {
        foreach (var column in columns)
            Check(column);
        var keys = columns.Where(column => column.Rule == MergeRule.Key);
        return new(
            $"{MergeText.Insert(table, columns)} VALUES ({string.Join(", ", columns.Select((column, i) => MergeText.New(column, Name(i))))}) {MergeText.OnConflict(columns)}",
            $"DELETE FROM {table} WHERE {string.Join(" AND ", keys.Select((key, i) => $"{MergeText.Quote(key.Name)} = {Name(i)}"))}");
    }

    // The driver has nothing asynchronous: https://learn.microsoft.com/dotnet/standard/data/sqlite/async
    internal override Task RunAsync<TRow>(
        DbCommand command, IReadOnlyList<MergeColumn<TRow>> columns, TRow[] rows, CancellationToken cancellation)
    {
        var parameters = columns.Select((_, i) => Add(command, Name(i))).ToArray();
        command.Prepare();
        foreach (var row in rows)
        {
            cancellation.ThrowIfCancellationRequested();
            for (var i = 0; i < parameters.Length; i++)
                parameters[i].Value = columns[i].Read(row) ?? DBNull.Value;
            command.ExecuteNonQuery();
        }

        return Task.CompletedTask;
    }

    // The driver keeps decimals as text, so that none is rounded; SQLite would add them as floating point, and compare them as text.
    private static void Check(MergeColumn column)
    {
        if (column.Type.Clr == typeof(decimal) && column.Rule is MergeRule.Add or MergeRule.Max or MergeRule.Min)
        {
            throw new InvalidOperationException(
                $"The column '{column.Name}' is a decimal with {column.Rule}; SQLite has no exact decimals. Give a long in the smallest unit, such as cents, or a double.");
        }
    }

    private static DbParameter Add(DbCommand command, string name)
    {
        var parameter = command.CreateParameter();
        parameter.ParameterName = name;
        command.Parameters.Add(parameter);
        return parameter;
    }

    private static string Name(int i) => FormattableString.Invariant($"$c{i}");
}
