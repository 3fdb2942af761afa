using System.Data.Common;

namespace Throttled.Projections.Merging;

/// <summary>PostgreSQL: all rows in one statement, an array for each column. Against COPY: docs/decisions/0015.</summary>
internal sealed class ArrayMerge : MergeWriter
{
    internal static ArrayMerge Instance { get; } = new();

    internal override MergeStatements Spell(string table, IReadOnlyList<MergeColumn> columns)
    {
        List<MergeColumn> keys = [.. columns.Where(column => column.Rule == MergeRule.Key)];
        var values = string.Join(", ", columns.Select((column, i) => MergeText.New(column, Value(column, i))));
        var matches = string.Join(" AND ", keys.Select((key, i) => $"existing.{MergeText.Quote(key.Name)} = {Value(key, i)}"));
        return new(
            $"{MergeText.Insert(table, columns)} SELECT {values} FROM {Rows(columns)} {MergeText.OnConflict(columns)}",
            $"DELETE FROM {table} AS existing USING {Rows(keys)} WHERE {matches}");
    }

    // Npgsql keeps what was prepared with the connection, by its text, also while the connection is in the pool
    // (https://www.npgsql.org/doc/prepare.html): only the first time is a round trip.
    internal override async Task RunAsync<TRow>(
        DbCommand command, IReadOnlyList<MergeColumn<TRow>> columns, TRow[] rows, CancellationToken cancellation)
    {
        foreach (var column in columns)
        {
            var parameter = command.CreateParameter();
            parameter.Value = Instants(column.Read(rows));
            command.Parameters.Add(parameter);
        }

        await command.PrepareAsync(cancellation).ConfigureAwait(false);
        await command.ExecuteNonQueryAsync(cancellation).ConfigureAwait(false);
    }

    // Npgsql takes the type of an array of DateTime? from its first value, and where that is null for a time without a zone.
    private static Array Instants(Array values) => values is DateTime?[] times
        ? Array.ConvertAll(times, time => time is { } known ? new DateTimeOffset(known) : (DateTimeOffset?)null)
        : values;

    private static string Rows(IReadOnlyList<MergeColumn> columns) =>
        $"unnest({List(columns, (column, i) => $"${i + 1}::{column.Type.PostgreSql}[]")}) AS change ({List(columns, (_, i) => $"c{i}")})";

    private static string Value(MergeColumn column, int i) => column.Cast is null ? $"change.c{i}" : $"change.c{i}::{column.Cast}";

    private static string List(IReadOnlyList<MergeColumn> columns, Func<MergeColumn, int, FormattableString> text) =>
        string.Join(", ", columns.Select((column, i) => FormattableString.Invariant(text(column, i))));
}
