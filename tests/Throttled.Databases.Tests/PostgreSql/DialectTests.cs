namespace Throttled.Journal.PostgreSql.Tests;

public class DialectTests
{
    private readonly PostgreSqlDialect _dialect = new();

    [Theory]
    [InlineData("journal", "\"journal\"")]
    [InlineData("Event Journal", "\"Event Journal\"")]
    [InlineData("a\"; DROP TABLE b; --", "\"a\"\"; DROP TABLE b; --\"")]
    [InlineData("a.b", "\"a.b\"")]
    public void An_identifier_cannot_leave_its_quotes(string name, string quoted) => Assert.Equal(quoted, _dialect.Quote(name));

    [Fact]
    public void A_table_name_has_its_schema_if_there_is_one()
    {
        Assert.Equal("\"s\"\"x\".\"t\"", _dialect.Table("s\"x", "t"));
        Assert.Equal("\"t\"", _dialect.Table(null, "t"));
    }

    [Fact]
    public void Parameters_are_positional() => Assert.Equal("$12", _dialect.Parameter(12));

    [Fact]
    public void LIMIT_keeps_the_first_rows() => Assert.Equal("LIMIT $2", _dialect.Limit("$2"));
}
