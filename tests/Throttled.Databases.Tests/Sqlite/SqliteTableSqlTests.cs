namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteTableSqlTests
{
    [Theory]
    [InlineData("CREATE TABLE j (ordering INTEGER PRIMARY KEY AUTOINCREMENT)")]
    [InlineData("CREATE TABLE j (ordering integer primary key autoincrement, x)")]
    [InlineData("CREATE TABLE j (\"it's\" INTEGER PRIMARY KEY /* ' */ AutoIncrement)")]
    [InlineData("CREATE TABLE j (-- it's\n ordering INTEGER PRIMARY KEY AUTOINCREMENT)")]
    public void AUTOINCREMENT_is_found(string sql) => Assert.True(SqliteTableSql.HasAutoIncrement(sql));

    [Theory]
    [InlineData("CREATE TABLE j (ordering INTEGER PRIMARY KEY)")]
    [InlineData("CREATE TABLE autoincrement_log (ordering INTEGER PRIMARY KEY)")]
    [InlineData("CREATE TABLE \"AUTOINCREMENT\" (ordering INTEGER PRIMARY KEY, [AUTOINCREMENT], `AUTOINCREMENT`)")]
    [InlineData("CREATE TABLE j (ordering INTEGER PRIMARY KEY, x DEFAULT 'it''s AUTOINCREMENT')")]
    [InlineData("CREATE TABLE j (ordering INTEGER PRIMARY KEY /* no\nAUTOINCREMENT */, x -- AUTOINCREMENT\n)")]
    [InlineData("CREATE TABLE j (ordering INTEGER PRIMARY KEY) /* AUTOINCREMENT")]
    public void AUTOINCREMENT_in_a_name_text_or_comment_does_not_count(string sql) => Assert.False(SqliteTableSql.HasAutoIncrement(sql));

    [Theory]
    [InlineData("CREATE TABLE j (o INTEGER PRIMARY KEY, x)", "CREATE TABLE j (o INTEGER PRIMARY KEY AUTOINCREMENT, x)")]
    [InlineData("CREATE TABLE j (o integer primary key asc not null)", "CREATE TABLE j (o integer primary key asc AUTOINCREMENT not null)")]
    [InlineData("CREATE TABLE j (o INTEGER NOT NULL PRIMARY KEY, UNIQUE (x))", "CREATE TABLE j (o INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, UNIQUE (x))")]
    [InlineData("CREATE TABLE j (\"PRIMARY\" TEXT, key TEXT, o INTEGER PRIMARY KEY CHECK (o > 0))", "CREATE TABLE j (\"PRIMARY\" TEXT, key TEXT, o INTEGER PRIMARY KEY AUTOINCREMENT CHECK (o > 0))")]
    [InlineData("CREATE TABLE j (o INTEGER PRIMARY KEY AUTOINCREMENT)", "CREATE TABLE j (o INTEGER PRIMARY KEY AUTOINCREMENT)")]
    [InlineData("CREATE TABLE j (o INTEGER PRIMARY KEY DESC)", null)]
    [InlineData("CREATE TABLE j (o INTEGER(8) PRIMARY KEY)", null)]
    [InlineData("CREATE TABLE j (o BIGINT PRIMARY KEY)", null)]
    [InlineData("CREATE TABLE j (o INTEGER, PRIMARY KEY (o))", null)]
    [InlineData("CREATE TABLE j (o INTEGER)", null)]
    public void AUTOINCREMENT_is_inserted_only_where_SQLite_accepts_it(string sql, string? with) =>
        Assert.Equal(with, SqliteTableSql.WithAutoIncrement(sql));
}
