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
            "COL_LENGTH", "CONCAT", "COUNT_BIG", "DATALENGTH", "DATEADD", "DATEDIFF_BIG", "DB_ID", "INDEXPROPERTY", "ISNULL", "OBJECT_ID", "STRING_AGG", "SYSUTCDATETIME", "TODATETIMEOFFSET",
            "min", "sum",
        ],
        ReadModelStatements.All.SelectMany(text => Script.Of(text.Sql).Functions()).Distinct().Order(StringComparer.Ordinal));

    [Fact]
    public void Each_statement_equals_the_approved_one()
    {
        var texts = new StatementTexts("SQL Server, for read models").Case("read models");
        foreach (var (name, sql) in ReadModelStatements.All)
            texts.Add(name, sql);
        ApprovedStatements.Check(GetType().Assembly, "sqlserver-read-models.sql", texts);
    }

    [Fact]
    public void The_script_of_the_documentation_creates_the_same_tables()
    {
        var made = string.Concat(Schema.Statements(ReadModelStatements.Dialect, from: 1).Select(sql => $"{sql};\nGO\nIF @@TRANCOUNT = 0 SET NOEXEC ON;\nGO\n")).ReplaceLineEndings("\n");
        var script = Script.Embedded("projections-tables-sqlserver.sql").ReplaceLineEndings("\n");
        Assert.Equal(made, script.Split("\n\n", 3)[2].Split("COMMIT;")[0]);
        Assert.Empty(Script.Read(script, SqlVersion.Sql140).Errors);
    }
}
