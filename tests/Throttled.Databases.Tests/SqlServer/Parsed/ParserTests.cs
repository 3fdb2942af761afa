using Microsoft.SqlServer.TransactSql.ScriptDom;

namespace Throttled.Journal.SqlServer.Tests.Parsed;

/// <summary>Microsoft's own parser accepts every statement.</summary>
public sealed class ParserTests
{
    private static readonly IReadOnlyList<(string Name, string Sql)> All =
        [.. StatementCase.All.SelectMany(one => one.Run().Select(text => ($"{one.Title}: {text.Name}", text.Sql))), .. StatementCase.Documented];

    // SQL Server 2016 to 2025.
    [Theory]
    [InlineData(SqlVersion.Sql130)]
    [InlineData(SqlVersion.Sql140)]
    [InlineData(SqlVersion.Sql150)]
    [InlineData(SqlVersion.Sql160)]
    [InlineData(SqlVersion.Sql170)]
    public void Every_statement_and_every_script_is_well_formed(SqlVersion version) =>
        Assert.Empty(All.SelectMany(text => Script.Read(text.Sql, version).Errors.Select(error => $"{text.Name}: {error}")));

    [Fact]
    public void Each_block_of_the_pages_is_well_formed()
    {
        var blocks = PageBlocks.Of("tsql");
        Assert.True(blocks.Count >= 4, "Hardly any SQL was found.");
        Assert.Empty(blocks.SelectMany(block => Script.Read(block.Text, SqlVersion.Sql170).Errors.Select(error => $"{block.Page}: {error}")));
    }

    [Theory]
    [InlineData("SELECT 1 FORM journal WHERE x = 1")]
    [InlineData("SELECT TOP (1) [key FROM journal")]
    // New in SQL Server 2022.
    [InlineData("SELECT 1 WHERE 1 IS DISTINCT FROM 2")]
    public void A_malformed_statement_is_found(string sql) => Assert.NotEmpty(Script.Read(sql, SqlVersion.Sql130).Errors);

    [Fact]
    public void Parameters_are_numbered_from_one_without_a_gap() => Assert.All(All, text =>
    {
        var parameters = Script.Of(text.Sql).Parameters();
        Assert.Equal(Enumerable.Range(1, parameters.Count).Select(number => $"@p{number}"), parameters);
    });

    // All of these are in SQL Server 2016. The parser and the binder accept any function name, so compare with this list.
    [Fact]
    public void Statements_call_only_these_functions_of_the_server() => Assert.Equal(
        [
            "CHARINDEX", "COLUMNPROPERTY", "COL_NAME", "DATABASEPROPERTYEX", "DATABASE_PRINCIPAL_ID", "DATALENGTH", "DATEDIFF_BIG", "DB_ID", "DB_NAME",
            "GETDATE", "IDENT_INCR", "ISNULL", "MIN", "OBJECTPROPERTY", "OBJECT_ID", "QUOTENAME", "ROW_NUMBER", "SCHEMA_ID", "SERVERPROPERTY",
            "SUSER_SNAME", "TYPE_NAME",
        ],
        All.SelectMany(text => Script.Of(text.Sql).Functions()).Distinct().Order(StringComparer.Ordinal));

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public void Bulk_copied_rows_fit_their_table(TagMode mode)
    {
        var tables = Script.Of(SqlServerStaging.Create).All<CreateTableStatement>().ToDictionary(
            table => table.SchemaObjectName.BaseIdentifier.Value, table => table.Definition.ColumnDefinitions);
        JournalEvent[] events = [new() { PersistenceId = "a", SequenceNumber = 1, Payload = new byte[] { 1 }, SerializerId = 1, Manifest = "m", Tags = ["t"] }];
        using var rows = new EventRows(events, JournalTables.Default with { TagMode = mode }, now: 1);
        using var tags = new TagRows(events);

        Fits(rows, tables[SqlServerStaging.Events]);
        Fits(tags, tables[SqlServerStaging.Tags]);
    }

    private static void Fits(BulkRows rows, IList<ColumnDefinition> columns)
    {
        Assert.True(rows.Read());
        var values = Enumerable.Range(0, rows.FieldCount).Select(rows.GetValue).ToList();
        Assert.Equal(values.Select(value => value.GetType()), columns.Take(values.Count).Select(TypeOf));
        // An omitted argument is NULL.
        Assert.All(columns.Skip(values.Count), column => Assert.Contains(column.Constraints, each => each is NullableConstraintDefinition { Nullable: true }));
    }

    private static Type TypeOf(ColumnDefinition column) => ((SqlDataTypeReference)column.DataType).SqlDataTypeOption switch
    {
        SqlDataTypeOption.BigInt => typeof(long),
        SqlDataTypeOption.Int => typeof(int),
        SqlDataTypeOption.NVarChar => typeof(string),
        SqlDataTypeOption.VarBinary => typeof(byte[]),
        var other => throw new NotSupportedException(other.ToString()),
    };
}
