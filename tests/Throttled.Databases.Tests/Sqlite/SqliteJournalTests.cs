namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteJournalTests
{
    private const string ConnectionString = "Data Source=never-opened.db";
    private static readonly JournalTables Nameless = JournalTables.Default with { JournalTable = null! };

    [Fact]
    public void Bad_options_are_refused_with_the_names_that_the_user_wrote()
    {
        var permits = Assert.Throws<ArgumentException>(() => SqliteJournal.OpenReader(ConnectionString, new() { MaxConcurrentQueries = 0 }));
        var names = Assert.Throws<ArgumentException>(() => SqliteJournal.OpenReader(ConnectionString, new() { Tables = Nameless }));

        Assert.StartsWith("'MaxConcurrentQueries' is 0; ", permits.Message, StringComparison.Ordinal);
        Assert.StartsWith("'JournalTable' is \"\"; ", names.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_appender_refuses_tables_without_names()
    {
        var error = Assert.Throws<ArgumentException>(() => SqliteJournal.OpenAppender(ConnectionString, Nameless));

        Assert.StartsWith("'JournalTable' is \"\"; ", error.Message, StringComparison.Ordinal);
    }
}
