using System.Text.RegularExpressions;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// The type of a text column. A compared value is converted to this type, because with another type the server may not use an
/// index of the column. https://learn.microsoft.com/sql/t-sql/data-types/data-type-precedence-transact-sql
/// </summary>
/// <param name="IsUnicode">Whether the type is <c>nvarchar</c> or <c>nchar</c>; otherwise it is <c>varchar</c> or <c>char</c>.</param>
/// <param name="Collation">The column's collation; null if it is unknown.</param>
internal sealed partial record SqlServerText(bool IsUnicode, string? Collation)
{
    /// <summary>The collation that compares UTF-16 code units.</summary>
    internal const string ByCodeUnits = "Latin1_General_BIN2";

    internal static SqlServerText Unknown { get; } = new(IsUnicode: true, Collation: null);

    /// <param name="type">The type's name in the catalog.</param>
    /// <param name="collation">The collation's name in the catalog.</param>
    internal static SqlServerText Of(string type, string? collation) =>
        new(type.StartsWith('n'), collation is not null && Name().IsMatch(collation) ? collation : null);

    /// <summary>
    /// Converts a value of type <c>nvarchar</c> to the column's type and collation. Without an explicit collation the value
    /// would have the database's, and two different collations cannot be compared. The collation also sets the column's code
    /// page: https://learn.microsoft.com/sql/t-sql/statements/collation-precedence-transact-sql
    /// </summary>
    internal string OfItsKind(string value)
    {
        var collated = Collation is null ? value : $"{value} COLLATE {Collation}";
        return IsUnicode ? collated : $"CONVERT(VARCHAR(8000), {collated})";
    }

    /// <summary>
    /// The column's value as <c>nvarchar</c>, so that it can have any collation. A <c>varchar</c> value would be converted to that collation's code
    /// page, and would lose characters that the code page lacks. https://learn.microsoft.com/sql/t-sql/statements/collations
    /// </summary>
    internal string Unicode(string column) => IsUnicode ? column : $"CONVERT(NVARCHAR(MAX), {column})";

    // The name stands in a statement without quotes, because a collation cannot be quoted.
    [GeneratedRegex("^[A-Za-z0-9_]+$")]
    private static partial Regex Name();
}
