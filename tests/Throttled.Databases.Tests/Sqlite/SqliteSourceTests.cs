using Microsoft.Data.Sqlite;
using SQLitePCL;
using Throttled.Journal.Database;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteSourceTests
{
    [Theory]
    [InlineData("")]
    [InlineData("Data Source=")]
    [InlineData("Data Source=:memory:")]
    [InlineData("Data Source=:memory:;Cache=Shared")]
    [InlineData("Data Source=journal;Mode=Memory")]
    [InlineData("Data Source=file:journal?mode=memory")]
    public void A_database_that_no_second_connection_can_see_is_refused(string connectionString)
    {
        var error = Assert.Throws<ArgumentException>(() => SqliteSource.Parse(connectionString));
        Assert.StartsWith("'Data Source' in the connection string is \"", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Data Source=journal;Mode=Memory;Cache=Shared")]
    [InlineData("Data Source=file:journal?mode=memory&cache=shared")]
    public void Memory_that_is_shared_has_no_file(string connectionString) => Assert.Null(SqliteSource.Parse(connectionString).File);

    [Theory]
    [InlineData("Data Source=a/journal.db", "a/journal.db")]
    [InlineData("Data Source=file:a/journal%20b.db?cache=private", "a/journal b.db")]
    [InlineData("Data Source=file:///a/journal.db", "/a/journal.db")]
    public void A_file_is_identified_by_its_path(string connectionString, string path) =>
        Assert.Equal(path, SqliteSource.Parse(connectionString).File);

    [Fact]
    public void A_file_is_read_through_connections_that_cannot_write_and_are_not_pooled()
    {
        var reading = SqliteSource.Parse("Data Source=journal.db;Cache=Shared").ForReading;
        Assert.Contains("Mode=ReadOnly", reading, StringComparison.Ordinal);
        Assert.Contains("Pooling=False", reading, StringComparison.Ordinal);
        Assert.Contains("Cache=Private", reading, StringComparison.Ordinal);
    }

    [Fact]
    public void An_unreadable_connection_string_is_not_shown()
    {
        var error = Assert.Throws<ArgumentException>(() => SqliteSource.Parse("Password=secret;Host=x"));
        Assert.StartsWith("The connection string is not valid for SQLite: ", error.Message, StringComparison.Ordinal);
        Assert.EndsWith(". Name a file, as in \"Data Source=journal.db\".", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("http", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void An_appender_on_a_read_only_database_is_refused() =>
        Assert.Throws<ArgumentException>(() => SqliteJournal.OpenAppender("Data Source=journal.db;Mode=ReadOnly"));

    [Fact]
    public async Task A_reader_and_an_appender_share_memory()
    {
        const string shared = "Data Source=sqlite-source-tests;Mode=Memory;Cache=Shared";
        await using var appender = SqliteJournal.OpenAppender(shared);
        await appender.CreateAsync();
        await appender.AppendAsync([Make.Event("a", 1, "blue")]);
        await using var database = new SqliteDatabase(SqliteSource.Parse(shared), new());

        Assert.Equal(["blue"], Assert.Single(await database.EventsAsync("a")).Tags);
    }

    [Fact]
    public async Task The_error_names_a_missing_file_once()
    {
        var file = Path.Combine(Path.GetTempPath(), $"throttled-{Guid.NewGuid():N}.db");
        await using var reader = SqliteJournal.OpenReader($"Data Source={file}", new() { RequireTable = true });
        var error = await Assert.ThrowsAsync<JournalException>(async () => await reader.CurrentPersistenceIds().GetAsyncEnumerator().MoveNextAsync());
        Assert.Equal(
            $"The journal's file '{file}' is not there. Create it, or correct its name in the connection string, or leave 'RequireTable' off to wait for it.",
            error.Message);
    }

    // A writer creates the file between the attempt to open it and the question whether it exists.
    [Theory]
    [InlineData(false, typeof(FileNotFoundException))]
    [InlineData(true, typeof(SqliteException))]
    public void A_file_that_appears_while_it_is_opened_is_waited_for_like_one_that_is_not_there(bool wasThere, Type expected)
    {
        var file = Path.GetTempFileName();
        var error = SqliteSession.Explain(new("unable to open database file", raw.SQLITE_CANTOPEN), SqliteSource.Parse($"Data Source={file}"), wasThere);
        Assert.Equal(expected, error.GetType());
        Assert.Equal(wasThere ? FaultKind.Fatal : FaultKind.MissingTable, SqliteFaults.Classify(error));
        File.Delete(file);
    }

    [Fact]
    public void Notifications_are_refused() =>
        Assert.StartsWith(
            "'Notify' is true;",
            Assert.Throws<ArgumentException>(() => SqliteJournal.OpenReader("Data Source=journal.db", new() { Notify = true })).Message,
            StringComparison.Ordinal);
}
