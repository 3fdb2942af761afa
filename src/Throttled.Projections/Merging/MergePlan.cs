namespace Throttled.Projections.Merging;

/// <summary>What a <see cref="MergeTable{TRow}"/> was told.</summary>
internal sealed record MergePlan<TRow>
{
    internal IReadOnlyList<MergeColumn<TRow>> Columns { get; init; } = [];

    internal string? Schema { get; init; }

    internal Func<TRow, bool>? Delete { get; init; }

    internal Func<TRow, bool>? Replace { get; init; }

    internal MergePlan<TRow> With(MergeColumn<TRow> column) => Columns.Any(known => IsNamed(known, column.Name))
        ? throw new ArgumentException($"The column '{column.Name}' is there already; give each column once.")
        : this with { Columns = [.. Columns, column] };

    internal MergePlan<TRow> WithCast(string column, string type) => Columns.Any(known => IsNamed(known, column))
        ? this with { Columns = [.. Columns.Select(known => IsNamed(known, column) ? known.As(type) : known)] }
        : throw new ArgumentException($"The column '{column}' is not there; call Cast after the column itself was given.");

    internal IReadOnlyList<MergeColumn<TRow>> Keys() => [.. Columns.Where(column => column.Rule == MergeRule.Key)];

    // SQLite does not tell upper case from lower case in a column's name.
    private static bool IsNamed(MergeColumn column, string name) => string.Equals(column.Name, name, StringComparison.OrdinalIgnoreCase);
}
