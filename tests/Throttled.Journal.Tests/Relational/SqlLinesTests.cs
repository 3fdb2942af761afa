namespace Throttled.Journal.Tests.Relational;

public class SqlLinesTests
{
    [Fact]
    public void Clauses_have_lines_of_their_own_and_inner_queries_are_indented()
    {
        const string Sql = "SELECT extract(epoch FROM a) FROM t JOIN u ON true WHERE a = 1 AND b IN (SELECT c FROM v WHERE d = 2) ORDER BY a LIMIT 3";
        Assert.Equal(
            """
            SELECT extract(epoch FROM a)
            FROM t
            JOIN u ON true
            WHERE a = 1
                AND b IN (SELECT c
                    FROM v
                    WHERE d = 2)
            ORDER BY a
            LIMIT 3
            """,
            SqlLines.Of(Sql),
            ignoreLineEndingDifferences: true);
    }

    [Theory]
    [InlineData("SELECT \"a FROM b\"")]
    [InlineData("SELECT \"a\"\" FROM b\"")]
    [InlineData("SELECT 'it''s FROM b'")]
    [InlineData("SELECT [a]] FROM b]")]
    public void Quoted_text_is_not_changed(string sql) => Assert.Equal(sql, SqlLines.Of(sql));

    [Fact]
    public void A_statement_of_several_lines_keeps_them()
    {
        const string Sql = "SELECT a\nFROM b WHERE c";
        Assert.Equal(Sql, SqlLines.Of(Sql));
    }
}
