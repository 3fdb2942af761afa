using Throttled.Journal.Sql;

namespace Throttled.Projections.Merging;

/// <summary>What a table, a column or a schema can be called.</summary>
internal static class MergeName
{
    /// <summary>The name, if it is one. What follows a NUL would not reach the database, and the quotes would stay open.</summary>
    /// <exception cref="ArgumentException">It is none.</exception>
    internal static string Checked(string name, string what) =>
        string.IsNullOrEmpty(name) || name.Contains('\0', StringComparison.Ordinal) || !EventCheck.IsWellFormed(name)
            ? throw new ArgumentException($"The name of the {what} is \"{name}\"; it must be one or more whole characters without NUL. Correct it.")
            : name;
}
