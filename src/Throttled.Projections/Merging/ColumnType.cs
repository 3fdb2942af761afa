namespace Throttled.Projections.Merging;

/// <summary>A type of a column's values. <c>Name</c> is the C# name, <c>Uses</c> what rules need.</summary>
internal sealed record ColumnType(Type Clr, string Name, string PostgreSql, ColumnUses Uses)
{
    private const ColumnUses WholeNumber = ColumnUses.Key | ColumnUses.Sum | ColumnUses.Order;
    private const ColumnUses Fraction = ColumnUses.Sum | ColumnUses.Order;
    private const ColumnUses Time = ColumnUses.Key | ColumnUses.Order;

    private static readonly ColumnType[] All =
    [
        new(typeof(string), "string", "text", ColumnUses.Key),
        new(typeof(long), "long", "bigint", WholeNumber),
        new(typeof(int), "int", "integer", WholeNumber),
        new(typeof(short), "short", "smallint", WholeNumber),
        new(typeof(double), "double", "double precision", Fraction),
        new(typeof(float), "float", "real", Fraction),
        new(typeof(decimal), "decimal", "numeric", Fraction),
        new(typeof(bool), "bool", "boolean", ColumnUses.Key),
        new(typeof(Guid), "Guid", "uuid", ColumnUses.Key),
        new(typeof(DateTime), "DateTime", "timestamptz", Time),
        new(typeof(DateTimeOffset), "DateTimeOffset", "timestamptz", Time),
        new(typeof(byte[]), "byte[]", "bytea", ColumnUses.Key),
    ];

    internal static ColumnType Of(Type type, string column, MergeRule rule)
    {
        var clr = Nullable.GetUnderlyingType(type) ?? type;
        var known = Array.Find(All, candidate => candidate.Clr == clr) ?? throw Refusal(column, clr, ColumnUses.None, "a column");
        var (uses, meaning) = Needs(rule);
        if (!known.Uses.HasFlag(uses))
            throw Refusal(column, clr, uses, meaning);
        return rule != MergeRule.Key || clr == type
            ? known
            : throw new ArgumentException($"The column '{column}' is a key of type {known.Name}?; a key is never null. Give {known.Name}.");
    }

    private static (ColumnUses Uses, string Meaning) Needs(MergeRule rule) => rule switch
    {
        MergeRule.Key => (ColumnUses.Key, "a key"),
        MergeRule.Add => (ColumnUses.Sum, "a column that is added to"),
        MergeRule.Max or MergeRule.Min => (ColumnUses.Order, $"a column with {rule}"),
        _ => (ColumnUses.None, "a column"),
    };

    private static ArgumentException Refusal(string column, Type found, ColumnUses uses, string meaning)
    {
        var allowed = string.Join(", ", All.Where(type => type.Uses.HasFlag(uses)).Select(type => type.Name));
        var remedy = found.IsEnum ? "Give its number or its name, as in (int)row.State or row.State.ToString()" : "Give one of these";
        return new($"The column '{column}' is a {found.Name}; {meaning} must be one of {allowed}. {remedy}.");
    }
}

/// <summary>What a type supports in the same way on all databases.</summary>
[Flags]
internal enum ColumnUses
{
    None = 0,

    /// <summary>Values are equal in the database exactly if they are equal in .NET.</summary>
    Key = 1,

    Sum = 2,

    /// <summary>Values have an order that does not depend on a collation.</summary>
    Order = 4,
}
