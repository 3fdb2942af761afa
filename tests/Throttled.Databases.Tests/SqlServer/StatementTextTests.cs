using Throttled.Journal.SqlServer.Tests.Parsed;
using Throttled.Testing;

namespace Throttled.Journal.SqlServer.Tests;

public class StatementTextTests
{
    [Fact]
    public void Each_statement_is_the_one_that_was_approved()
    {
        var texts = new StatementTexts("SQL Server");
        foreach (var one in StatementCase.All)
            one.Add(texts.Case(one.Title));
        ApprovedStatements.Check(GetType().Assembly, "sqlserver.sql", texts);
    }
}
