namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteDialectTests
{
    private readonly SqliteDialect _dialect = new();

    [Fact]
    public void A_quote_within_a_name_is_doubled() => Assert.Equal("\"a\"\"b\"", _dialect.Quote("a\"b"));

    [Fact]
    public void A_schema_is_left_out() => Assert.Equal("\"journal\"", _dialect.Table("public", "journal"));

    [Fact]
    public void Parameters_are_numbered() => Assert.Equal("?2", _dialect.Parameter(2));

    [Fact]
    public void LIMIT_keeps_the_first_rows() => Assert.Equal("LIMIT ?4", _dialect.Limit("?4"));

    [Fact]
    public async Task A_table_name_with_an_injection_is_quoted()
    {
        await using var file = new JournalFile(JournalTables.Default with
        {
            JournalTable = "a\"; DROP TABLE b; --",
            PersistenceIdColumn = "order by",
        });
        await file.CreateAsync(Make.Event("a", 1));

        Assert.Single(await file.Database().EventsAsync("a"));
    }
}
