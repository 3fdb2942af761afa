using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Throttled.Journal.Sqlite.Tests;

/// <summary>A reader cannot write, whatever its connection string has.</summary>
public sealed class SqliteReadOnlyTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-sqlite-");

    private string File => Path.Combine(_directory.FullName, "journal.db");

    public void Dispose() => _directory.Delete(recursive: true);

    [Theory]
    [InlineData("Data Source={0}")]
    [InlineData("Data Source={0};Mode=ReadWriteCreate")]
    [InlineData("Data Source={0};Mode=ReadWrite;Cache=Shared")]
    [InlineData("Data Source=file:{0}")]
    [InlineData("Data Source=file:{0}?cache=shared;Mode=ReadWriteCreate")]
    public async Task The_file_is_opened_read_only_whatever_the_connection_string_has(string connectionString)
    {
        await CreateAsync();
        using var session = SqliteSession.Open(SqliteSource.Parse(string.Format(null, connectionString, File)));
        AssertCannotWrite(session);
    }

    [Fact]
    public async Task A_uri_that_asks_to_write_is_refused()
    {
        await CreateAsync();
        await using var reader = SqliteJournal.OpenReader($"Data Source=file:{File}?mode=rwc");
        await Assert.ThrowsAsync<JournalException>(() => reader.CurrentAllEvents().AllAsync());
    }

    [Fact]
    public async Task Shared_memory_is_opened_read_only_too()
    {
        const string memory = "Data Source=read-only-memory;Mode=Memory;Cache=Shared";
        await using var appender = SqliteJournal.OpenAppender(memory);
        await appender.CreateAsync();
        using var session = SqliteSession.Open(SqliteSource.Parse(memory));
        AssertCannotWrite(session);
    }

    [Fact]
    public async Task A_file_that_is_not_there_is_not_created()
    {
        await using (var reader = SqliteJournal.OpenReader($"Data Source={File};Mode=ReadWriteCreate", new() { RequireTable = true }))
            await Assert.ThrowsAsync<JournalException>(() => reader.CurrentAllEvents().AllAsync());
        Assert.Empty(_directory.EnumerateFileSystemInfos());
    }

    [Fact]
    public async Task Reading_does_not_change_the_file()
    {
        await CreateAsync();
        var before = await System.IO.File.ReadAllBytesAsync(File);
        await ReadAsync();
        Assert.Equal(before, await System.IO.File.ReadAllBytesAsync(File));
    }

    // Root can write to every file, but a directory in the place of the file is refused to root too.
    [Fact]
    public async Task A_WAL_that_cannot_be_shared_is_reported_with_the_remedy()
    {
        await CreateAsync();
        Directory.CreateDirectory($"{File}-wal");
        var error = await Assert.ThrowsAsync<JournalException>(ReadAsync);
        Assert.Contains("must be readable and writable, or the directory writable", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("WAL")]
    [InlineData("DELETE")]
    public async Task A_read_only_file_is_read_or_reported_with_the_remedy(string mode)
    {
        if (OperatingSystem.IsWindows())
            return;
        await CreateAsync();
        await using (var connection = new SqliteConnection($"Data Source={File};Pooling=False"))
        {
            await connection.OpenAsync();
            await connection.RunAsync($"PRAGMA journal_mode = {mode}");
        }
        System.IO.File.SetUnixFileMode(File, UnixFileMode.UserRead);
        System.IO.File.SetUnixFileMode(_directory.FullName, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        try
        {
            if (mode == "WAL" && !Environment.IsPrivilegedProcess)
                Assert.Contains("directory writable", (await Assert.ThrowsAsync<JournalException>(ReadAsync)).Message, StringComparison.Ordinal);
            else
                await ReadAsync();
        }
        finally
        {
            System.IO.File.SetUnixFileMode(_directory.FullName, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }
    }

    private async Task CreateAsync()
    {
        await using var appender = SqliteJournal.OpenAppender($"Data Source={File};Pooling=False");
        await appender.CreateAsync();
        await appender.AppendAsync(TestEvents.Of("a", 1, 2));
    }

    private async Task ReadAsync()
    {
        await using var reader = SqliteJournal.OpenReader($"Data Source={File}");
        Assert.Equal(["a/1", "a/2"], (await reader.CurrentAllEvents().AllAsync()).Texts());
    }

    private static void AssertCannotWrite(SqliteSession session)
    {
        string[] writes =
        [
            "DELETE FROM journal", "INSERT INTO tags VALUES (1, 'a', 1, 'a')", "UPDATE journal SET deleted = 1", "DROP TABLE journal",
            "CREATE TABLE mine (id INTEGER)", "CREATE INDEX mine ON journal (created)", "PRAGMA user_version = 7",
        ];
        foreach (var sql in writes)
        {
            var error = Assert.Throws<SqliteException>(() => session.Statement(sql).Run());
            Assert.Equal(raw.SQLITE_READONLY, error.SqliteErrorCode);
        }
    }
}
