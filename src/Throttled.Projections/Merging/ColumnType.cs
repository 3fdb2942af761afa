namespace Throttled.Projections.Merging;

/// <summary>A type of a column's values. <c>Name</c> is the C# name, <c>Uses</c> what rules need.</summary>
internal sealed record ColumnType(Type Clr, string Name, string PostgreSql, string SqlServer, ColumnUses Uses)
{
    private const ColumnUses WholeNumber = ColumnUses.Key | ColumnUses.Sum | ColumnUses.Order;
    private const ColumnUses Fraction = ColumnUses.Sum | ColumnUses.Order;
    private const ColumnUses Time = ColumnUses.Key | ColumnUses.Order;

    private static readonly ColumnType[] All =
    [
        new(typeof(string), "string", "text", "nvarchar(max)", ColumnUses.Key) { SqlServerKey = "nvarchar(4000)" },
        new(typeof(long), "long", "bigint", "bigint", WholeNumber),
        new(typeof(int), "int", "integer", "int", WholeNumber),
        new(typeof(short), "short", "smallint", "smallint", WholeNumber),
        new(typeof(double), "double", "double precision", "float", Fraction),
        new(typeof(float), "float", "real", "real", Fraction),
        // With one digit less than possible, a sum with a shorter decimal keeps all of them:
        // https://learn.microsoft.com/sql/t-sql/data-types/precision-scale-and-length-transact-sql
        new(typeof(decimal), "decimal", "numeric", "decimal(37, 18)", Fraction),
        new(typeof(bool), "bool", "boolean", "bit", ColumnUses.Key),
        new(typeof(Guid), "Guid", "uuid", "uniqueidentifier", ColumnUses.Key),
        new(typeof(DateTime), "DateTime", "timestamptz", "datetime2", Time),
        new(typeof(DateTimeOffset), "DateTimeOffset", "timestamptz", "datetimeoffset", Time),
        new(typeof(byte[]), "byte[]", "bytea", "varbinary(max)", ColumnUses.Key) { SqlServerKey = "varbinary(8000)" },
    ];

    /// <summary>The type of a key, which an index can look up only if it is not a LOB.</summary>
    internal string SqlServerKey { get; private init; } = SqlServer;

    internal static string SqlServerOf(Array values, bool isKey) => Find(values.GetType().GetElementType()!) is var type && isKey ? type!.SqlServerKey : type!.SqlServer;

    internal static ColumnType Of(Type type, string column, MergeRule rule)
    {
        var clr = Nullable.GetUnderlyingType(type) ?? type;
        var known = Find(type) ?? throw Refusal(column, clr, ColumnUses.None, "a column");
        var (uses, meaning) = Needs(rule);
        if (!known.Uses.HasFlag(uses))
            throw Refusal(column, clr, uses, meaning);
        return rule != MergeRule.Key || clr == type
            ? known
            : throw new ArgumentException($"The column '{column}' is a key of type {known.Name}?; a key is never null. Give {known.Name}.");
    }

    private static ColumnType? Find(Type type) => Array.Find(All, candidate => candidate.Clr == (Nullable.GetUnderlyingType(type) ?? type));

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
