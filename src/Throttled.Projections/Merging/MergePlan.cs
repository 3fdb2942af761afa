using System.Text;
using Throttled.Journal;

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

/// <summary>What a change does to a column of a row that is there already.</summary>
internal enum MergeRule
{
    /// <summary>Finds the row.</summary>
    Key,

    /// <summary>Takes the place of what is there.</summary>
    Set,

    /// <summary>Takes its place unless it is null.</summary>
    SetUnlessNull,

    /// <summary>Is added to it; null is 0, here and there.</summary>
    Add,

    /// <summary>Takes its place where it is larger; null is smaller than all.</summary>
    Max,

    /// <summary>Takes its place where it is smaller; null is larger than all.</summary>
    Min,
}

/// <summary>What a table, a column or a schema can be called.</summary>
internal static class MergeName
{
    // PostgreSQL cuts longer names, so that two would be one: https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS
    private const int MostBytes = 63;

    /// <summary>The name, if it is one. What follows a NUL would not reach the database, and the quotes would stay open.</summary>
    /// <exception cref="ArgumentException">It is none.</exception>
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
