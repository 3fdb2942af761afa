using System.Text.RegularExpressions;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// What a column of texts is, so that a value to compare with is made one of its kind: compared with another kind, an index of the column may
/// not be used. https://learn.microsoft.com/sql/t-sql/data-types/data-type-precedence-transact-sql
/// </summary>
/// <param name="IsUnicode">Whether it is <c>nvarchar</c> or <c>nchar</c>; otherwise it is <c>varchar</c> or <c>char</c>.</param>
/// <param name="Collation">Its collation; null where it is not known.</param>
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
    /// A value of type <c>nvarchar</c> as one of the column's kind. A collation that was given to neither would be the database's, and two that
    /// differ do not compare; with its collation it takes the column's code page, too:
    /// https://learn.microsoft.com/sql/t-sql/statements/collation-precedence-transact-sql
    /// </summary>
    internal string OfItsKind(string value)
    {
        var collated = Collation is null ? value : $"{value} COLLATE {Collation}";
        return IsUnicode ? collated : $"CONVERT(VARCHAR(8000), {collated})";
    }

    /// <summary>
    /// The column's value as <c>nvarchar</c>, so that it can be given any collation: one of <c>varchar</c> would be changed to that collation's code page,
    /// and lose what it has not. https://learn.microsoft.com/sql/t-sql/statements/collations
    /// </summary>
    internal string Unicode(string column) => IsUnicode ? column : $"CONVERT(NVARCHAR(MAX), {column})";

    // It stands in a statement without quotes, which a collation cannot have.
    [GeneratedRegex("^[A-Za-z0-9_]+$")]
    private static partial Regex Name();
}
