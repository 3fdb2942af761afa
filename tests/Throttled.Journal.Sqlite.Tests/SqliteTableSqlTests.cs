namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteTableSqlTests
{
    [Theory]
    [InlineData("CREATE TABLE j (ordering INTEGER PRIMARY KEY AUTOINCREMENT)")]
    [InlineData("CREATE TABLE j (ordering integer primary key autoincrement, x)")]
    [InlineData("CREATE TABLE j (\"it's\" INTEGER PRIMARY KEY /* ' */ AutoIncrement)")]
    [InlineData("CREATE TABLE j (-- it's\n ordering INTEGER PRIMARY KEY AUTOINCREMENT)")]
    public void The_word_counts(string sql) => Assert.True(SqliteTableSql.HasAutoIncrement(sql));

    [Theory]
    [InlineData("CREATE TABLE j (ordering INTEGER PRIMARY KEY)")]
    [InlineData("CREATE TABLE autoincrement_log (ordering INTEGER PRIMARY KEY)")]
    [InlineData("CREATE TABLE \"AUTOINCREMENT\" (ordering INTEGER PRIMARY KEY, [AUTOINCREMENT], `AUTOINCREMENT`)")]
    [InlineData("CREATE TABLE j (ordering INTEGER PRIMARY KEY, x DEFAULT 'it''s AUTOINCREMENT')")]
    [InlineData("CREATE TABLE j (ordering INTEGER PRIMARY KEY /* no\nAUTOINCREMENT */, x -- AUTOINCREMENT\n)")]
    [InlineData("CREATE TABLE j (ordering INTEGER PRIMARY KEY) /* AUTOINCREMENT")]
    public void A_name_a_text_or_a_comment_does_not(string sql) => Assert.False(SqliteTableSql.HasAutoIncrement(sql));
}
