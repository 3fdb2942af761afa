using System.Text;

namespace Throttled.Projections.Merging;

internal sealed record MergePlan<TRow>
{
    internal IReadOnlyList<MergeColumn<TRow>> Columns { get; init; } = [];

    internal string? Schema { get; init; }

    internal Func<TRow, bool>? Delete { get; init; }

    internal Func<TRow, bool>? Replace { get; init; }

    internal MergePlan<TRow> With(MergeColumn<TRow> column) => Columns.Any(known => IsNamed(known, column.Name))
        ? throw new ArgumentException($"The column '{column.Name}' is there already; give each column once.")
        : this with { Columns = [.. Columns, column] };

    internal MergePlan<TRow> WithCast(string column, string? postgreSql, string? sqlServer) => Columns.Any(known => IsNamed(known, column))
        ? this with { Columns = [.. Columns.Select(known => IsNamed(known, column) ? known.As(postgreSql, sqlServer) : known)] }
        : throw new ArgumentException($"The column '{column}' is not there; call Cast after the column itself was given.");

    // Column names are case-insensitive in SQLite.
    private static bool IsNamed(MergeColumn column, string name) => string.Equals(column.Name, name, StringComparison.OrdinalIgnoreCase);
}

/// <summary>How a change is merged into a column of an existing row.</summary>
internal enum MergeRule
{
    Key,

    Set,

    SetUnlessNull,

    /// <summary>Is added to the stored value; null counts as 0 in both.</summary>
    Add,

    /// <summary>Replaces the stored value if it is larger; null is smaller than all.</summary>
    Max,

    /// <summary>Replaces the stored value if it is smaller; null is larger than all.</summary>
    Min,
}

internal static class MergeName
{
    // PostgreSQL cuts longer names, so two names could become one:
    // https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS
    private const int MostBytes = 63;

    /// <summary>Text after a NUL would not reach the database, so the quotes would stay open.</summary>
    internal static string Checked(string name, string what)
    {
        if (string.IsNullOrEmpty(name) || name.Contains('\0', StringComparison.Ordinal) || !OptionCheck.IsWellFormed(name))
            throw new ArgumentException($"The name of the {what} is \"{name}\"; it must be one or more whole characters without NUL. Correct it.");
        var bytes = Encoding.UTF8.GetByteCount(name);
        return bytes > MostBytes
            ? throw new ArgumentException(FormattableString.Invariant(
                $"The name of the {what} is \"{name}\", which has {bytes} bytes in UTF-8; it may have {MostBytes}, because PostgreSQL cuts longer names. Take a shorter one."))
            : name;
    }
}
