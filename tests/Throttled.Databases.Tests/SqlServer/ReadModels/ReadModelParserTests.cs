using Microsoft.SqlServer.TransactSql.ScriptDom;
using Throttled.Journal.SqlServer.Tests.Parsed;
using Throttled.Projections.Tables;

namespace Throttled.Journal.SqlServer.Tests.ReadModels;

/// <summary>Microsoft's own parser accepts every statement of a read model.</summary>
public sealed class ReadModelParserTests
{
    // SQL Server 2017 to 2025.
    [Theory]
    [InlineData(SqlVersion.Sql140)]
    [InlineData(SqlVersion.Sql150)]
    [InlineData(SqlVersion.Sql160)]
    [InlineData(SqlVersion.Sql170)]
    public void Every_statement_is_well_formed(SqlVersion version) =>
        Assert.Empty(ReadModelStatements.All.SelectMany(text => Script.Read(text.Sql, version).Errors.Select(error => $"{text.Name}: {error}\n{text.Sql}")));

    // The parser accepts any function name. All of these are in SQL Server 2017.
    [Fact]
    public void Statements_call_only_these_functions_of_the_server() => Assert.Equal(
        [
            "COL_LENGTH", "CONCAT", "COUNT_BIG", "DATALENGTH", "DATEADD", "DATEDIFF_BIG", "DB_ID", "INDEXPROPERTY", "ISNULL", "OBJECT_ID", "QUOTENAME", "STRING_AGG", "SYSUTCDATETIME", "TODATETIMEOFFSET",
            "min", "sum",
        ],
        ReadModelStatements.All.SelectMany(text => Script.Of(text.Sql).Functions()).Distinct().Order(StringComparer.Ordinal));

    // An error without a number has 50000, which also handlers and triggers may raise. So the severity, which is that of deadlocks, makes it transient.
    [Fact]
    public void A_lock_that_was_not_granted_raises_an_error_that_is_tried_again()
    {
        var raised = ReadModelStatements.All.Where(text => text.Sql.Contains("sp_getapplock", StringComparison.Ordinal)).Select(text => Assert.Single(Script.Of(text.Sql).All<RaiseErrorStatement>())).ToList();
        Assert.Equal(2, raised.Count);
        Assert.All(raised, statement => Assert.Equal("13", Script.TextOf(statement.SecondParameter)));
    }

    [Fact]
    public void Each_statement_equals_the_approved_one()
    {
        var texts = new StatementTexts("SQL Server, for read models").Case("read models");
        foreach (var (name, sql) in ReadModelStatements.All)
            texts.Add(name, sql);
        ApprovedStatements.Check(GetType().Assembly, "sqlserver-read-models.sql", texts);
    }

    [Fact]
    public void Tables_of_an_older_version_get_all_that_the_new_ones_have()
    {
        var old = Script.Of(Script.Embedded("sqlserver-3.sql"));
        var update = Schema.Statements(ReadModelStatements.Dialect, from: 3).Select(Script.Of).ToList();
        var added = update.SelectMany(script => script.All<AlterTableAddTableElementStatement>()).SelectMany(alter => Columns(alter.SchemaObjectName, alter.Definition)).ToList();
        Assert.NotEmpty(added);
        Assert.Equal(
            ReadModelStatements.Created.SelectMany(sql => Columns(Script.Of(sql))).Order(StringComparer.Ordinal),
            Columns(old).Concat(added).Order(StringComparer.Ordinal));
        // An index of that name is there, so it is replaced and not created.
        Assert.NotEqual(true, Index(old.All<CreateIndexStatement>()).Clustered);
        var replaced = Index(update.SelectMany(script => script.All<CreateIndexStatement>()).Where(index => index.IndexOptions.Any(option => option.OptionKind == IndexOptionKind.DropExisting)));
        Assert.Equal(true, replaced.Clustered);

        static CreateIndexStatement Index(IEnumerable<CreateIndexStatement> all) => all.Single(index => index.Name.Value == "throttled_projection_dead_letter_slice");
    }

    [Fact]
    public void The_script_of_the_documentation_creates_the_same_tables()
    {
        var made = string.Concat(Schema.Statements(ReadModelStatements.Dialect, from: 1).Select(sql => $"{sql};\nGO\nIF @@TRANCOUNT = 0 SET NOEXEC ON;\nGO\n")).ReplaceLineEndings("\n");
        var script = Script.Embedded("projections-tables-sqlserver.sql").ReplaceLineEndings("\n");
        Assert.Equal(made, script.Split("\n\n", 3)[2].Split("COMMIT;")[0]);
        Assert.Empty(Script.Read(script, SqlVersion.Sql140).Errors);
    }

    private static IEnumerable<string> Columns(Script script) => script.All<CreateTableStatement>().SelectMany(table => Columns(table.SchemaObjectName, table.Definition));

    private static IEnumerable<string> Columns(SchemaObjectName table, TableDefinition definition) =>
        definition.ColumnDefinitions.Select(column => $"{Script.TextOf(table)}: {Script.TextOf(column)}");
}
