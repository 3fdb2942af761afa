using Throttled.Projections.Merging;

namespace Throttled.Journal.SqlServer.Tests.ReadModels;

/// <summary>A table of a user, and the statements that merge into it: with each rule and each type, and with the types that a user gives.</summary>
internal sealed record MergeCase(string Table, IReadOnlyList<(MergeColumn Column, string Definition)> Columns)
{
    private string Quoted => MergeText.Table("app", Table);

    /// <summary>The table as its owner created it.</summary>
    internal string Create =>
        $"CREATE TABLE {Quoted} ({string.Join(", ", Columns.Select(column => $"{MergeText.Quote(column.Column.Name)} {column.Definition}"))})";

    internal IEnumerable<(string Name, string Sql)> Statements()
    {
        var statements = ReadModelStatements.Dialect.Merge(Quoted, [.. Columns.Select(column => column.Column)]);
        return [($"MergeTable, {Table}: upsert", statements.Upsert), ($"MergeTable, {Table}: delete", statements.Delete)];
    }
}

internal static class MergeCases
{
    private static readonly (Type Type, string Definition)[] Types =
    [
        (typeof(string), "nvarchar(200)"), (typeof(long), "bigint"), (typeof(int), "int"), (typeof(short), "smallint"), (typeof(double), "float"),
        (typeof(float), "real"), (typeof(decimal), "decimal(19, 4)"), (typeof(bool), "bit"), (typeof(Guid), "uniqueidentifier"), (typeof(DateTime), "datetime2"),
        (typeof(DateTimeOffset), "datetimeoffset"), (typeof(byte[]), "varbinary(200)"),
    ];

    internal static IReadOnlyList<MergeCase> All { get; } =
    [
        .. Enum.GetValues<MergeRule>().Select(OfRule),
        new("only keys", [Column(typeof(string), MergeRule.Key, "id"), Column(typeof(long), MergeRule.Key, "part")]),
        new("types of the user",
        [
            As(Column(typeof(string), MergeRule.Key, "id"), "varchar(50)"), As(Column(typeof(decimal), MergeRule.Add, "price"), "decimal(28, 28)"),
            As(Column(typeof(string), MergeRule.SetUnlessNull, "note"), "varchar(max)"), As(Column(typeof(DateTime), MergeRule.Max, "day"), "date"),
        ]),
        new("odd \"names\" ]", [Column(typeof(string), MergeRule.Key, "a\" ] ; --"), Column(typeof(long), MergeRule.Add, "excluded"), Column(typeof(long), MergeRule.Max, "order")]),
    ];

    private static MergeCase OfRule(MergeRule rule) =>
        new($"{rule}", [.. new[] { Column(typeof(long), MergeRule.Key, "id") }.Concat(Types.Where(type => Allows(rule, type.Type)).Select(type => Column(type.Type, rule, $"a {type.Type.Name}")))]);

    private static bool Allows(MergeRule rule, Type type)
    {
        try
        {
            ColumnType.Of(type, "c", rule);
            return true;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    private static (MergeColumn Column, string Definition) Column(Type type, MergeRule rule, string name) => (
        (MergeColumn)Activator.CreateInstance(
            typeof(MergeColumn<,>).MakeGenericType(typeof(int), type),
            System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Public, null, [name, rule, null], null)!,
        Types.First(each => each.Type == type).Definition);

    private static (MergeColumn Column, string Definition) As((MergeColumn Column, string Definition) column, string type) =>
        (((MergeColumn<int>)column.Column).As(null, type), type);
}
