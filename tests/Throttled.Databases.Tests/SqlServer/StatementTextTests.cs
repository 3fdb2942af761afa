using Throttled.Journal.SqlServer.Tests.Parsed;

namespace Throttled.Journal.SqlServer.Tests;

public class StatementTextTests
{
    [Fact]
    public void Each_statement_equals_the_approved_one()
    {
        var texts = new StatementTexts("SQL Server");
        foreach (var one in StatementCase.All)
            one.Add(texts.Case(one.Title));
        ApprovedStatements.Check(GetType().Assembly, "sqlserver.sql", texts);
    }
}
