using System.Data.SqlTypes;
using Throttled.Projections.Merging;

namespace Throttled.Projections.Databases;

/// <summary>
/// The order of an index of SQL Server whose texts have a binary collation. A write of a new key also locks the next key of the index. So transactions lock
/// all keys in one order only if their rows are in the order of the index.
/// </summary>
internal sealed class SqlServerKeyOrder : KeyOrder
{
    internal override IComparer<T> Of<T>() =>
        typeof(T) == typeof(Guid) ? (IComparer<T>)Comparer<Guid>.Create(Guids)
        : typeof(T) == typeof(string) ? (IComparer<T>)Comparer<string>.Create(Texts)
        : base.Of<T>();

    // The last six bytes come first: https://learn.microsoft.com/dotnet/framework/data/adonet/sql/comparing-guid-and-uniqueidentifier-values
    private static int Guids(Guid left, Guid right) => new SqlGuid(left).CompareTo(new SqlGuid(right));

    // The shorter text is filled with blanks, so a character below the blank sorts before the end of a text:
    // https://learn.microsoft.com/sql/t-sql/language-elements/string-comparison-assignment
    private static int Texts(string? left, string? right)
    {
        if (left is null || right is null)
            return string.CompareOrdinal(left, right);
        var (shorter, longer) = left.Length < right.Length ? (left, right) : (right, left);
        var end = longer.AsSpan(shorter.Length).IndexOfAnyExcept(' ');
        var order = string.CompareOrdinal(left, 0, right, 0, shorter.Length);
        if (order != 0 || shorter.Length == longer.Length)
            return order;
        return longer == right == (end < 0 || longer[shorter.Length + end] > ' ') ? -1 : 1;
    }
}
