using System.Data.Common;
using Microsoft.Data.Sqlite;

namespace Throttled.Journal.Sqlite.Tests.Contract;

/// <summary>Journals in files of one directory, which is deleted with the tests.</summary>
public sealed class SqliteHost : IJournalHost, IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-sqlite-");
    private int _journals;

    public async Task<JournalUnderTest> NewJournalAsync(JournalTables? tables = null)
    {
        var journal = New(tables);
        await journal.CreateAsync();
        return journal;
    }

    public Task<JournalUnderTest> NewAbsentJournalAsync(JournalTables tables) => Task.FromResult<JournalUnderTest>(New(tables));

    public void Dispose() => _directory.Delete(recursive: true);

    private SqliteJournalUnderTest New(JournalTables? tables) =>
        new(Path.Combine(_directory.FullName, $"{Interlocked.Increment(ref _journals)}.db"), tables ?? JournalTables.Default);
}

internal sealed class SqliteJournalUnderTest(string file, JournalTables tables) : JournalUnderTest(tables)
{
    private readonly string _connectionString = $"Data Source={file};Pooling=False";

    internal string File => file;

    protected override int LongestTag => 1_000;

    public override string OrderingType => "INTEGER PRIMARY KEY AUTOINCREMENT";

    public override string BytesType => "BLOB";

    public override string Quote(string identifier) => $"\"{identifier.Replace("\"", "\"\"")}\"";

    public override async Task<DbConnection> ConnectAsync()
    {
        var connection = new SqliteConnection(_connectionString);
        await connection.OpenAsync();
        return connection;
    }

    // SQLite stores a text in a numeric column if the text is no number.
    public override Task PoisonAsync(string persistenceId) => ExecuteAsync(
        $"""
        UPDATE {Table} SET {Quote(Tables.TimestampColumn)} = 'noon' WHERE {Quote(Tables.PersistenceIdColumn)} = '{persistenceId}';
        CREATE TRIGGER poison AFTER INSERT ON {Table} WHEN NEW.{Quote(Tables.PersistenceIdColumn)} = '{persistenceId}' BEGIN
            UPDATE {Table} SET {Quote(Tables.TimestampColumn)} = 'noon'
            WHERE {Quote(Tables.OrderingColumn)} = NEW.{Quote(Tables.OrderingColumn)};
        END
        """);

    // Before the first ordering, or without AUTOINCREMENT, the table of the sequences may not exist.
    public override async Task TruncateAsync(bool restartsNumbers)
    {
        await ExecuteAsync($"DELETE FROM {Table}");
        if (Tables.TagMode == TagMode.TagTable)
            await ExecuteAsync($"DELETE FROM {TagTable}");
        if (restartsNumbers)
            await ExecuteAsync("DELETE FROM sqlite_sequence");
    }

    // The backup API is the only way to restore an open database: https://www.sqlite.org/backup.html
    public override async Task<Func<Task>> CopyAsync()
    {
        var copy = $"{file}.copy";
        await CopyAsync(file, copy);
        return () => CopyAsync(copy, file);
    }

    // The last connection that closes deletes the WAL: https://www.sqlite.org/wal.html#the_wal_file
    // In another mode no connection could lock all others out of a file that is being read.
    public override async Task NoStatementRunsAsync()
    {
        await using (var connection = await ConnectAsync())
        {
            if (await connection.ScalarAsync<string>("PRAGMA journal_mode") != "wal")
            {
                await connection.RunAsync("BEGIN EXCLUSIVE; ROLLBACK");
                return;
            }
        }
        Assert.True(System.IO.File.Exists($"{file}-wal"), "The journal is not in WAL mode, or nothing has it open.");
        await CloseAppenderAsync();
        Assert.False(System.IO.File.Exists($"{file}-wal"), "A reader still has the journal open.");
    }

    protected override string NameOf(string table) => Quote(table);

    protected override JournalReader OpenReaderCore(JournalOptions options) => SqliteJournal.OpenReader($"Data Source={file}", options);

    protected override JournalAppender OpenAppenderCore() => SqliteJournal.OpenAppender($"Data Source={file}", Tables);

    private static async Task CopyAsync(string from, string to)
    {
        await using var source = new SqliteConnection($"Data Source={from};Pooling=False");
        await using var target = new SqliteConnection($"Data Source={to};Pooling=False");
        await source.OpenAsync();
        await target.OpenAsync();
        source.BackupDatabase(target);
    }
}
