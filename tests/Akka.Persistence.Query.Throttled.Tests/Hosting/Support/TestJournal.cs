using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting.Support;

/// <summary>A journal of a test, written without Akka.</summary>
internal sealed class TestJournal : IAsyncDisposable
{
    // The id of Akka.NET's serializer of byte arrays.
    private const int Bytes = 4;

    private readonly JournalAppender _appender;
    private readonly string? _file;
    private long _last;

    private TestJournal(string connectionString, JournalAppender appender, string? file) =>
        (ConnectionString, _appender, _file) = (connectionString, appender, file);

    internal string ConnectionString { get; }

    internal static async Task<TestJournal> InSqliteAsync(JournalTables? tables = null)
    {
        var file = NewFile();
        var journal = new TestJournal($"Data Source={file}", SqliteJournal.OpenAppender($"Data Source={file}", tables), file);
        await journal._appender.CreateAsync();
        return journal;
    }

    internal static async Task<TestJournal> InPostgreSqlAsync(PostgreSqlServer server)
    {
        var connectionString = server.CreateDatabase();
        var journal = new TestJournal(connectionString, PostgreSqlJournal.OpenAppender(connectionString), null);
        await journal._appender.CreateAsync();
        return journal;
    }

    /// <summary>The path of a file that does not exist.</summary>
    internal static string NewFile() => Path.Combine(Path.GetTempPath(), $"throttled-hosting-{Guid.NewGuid():N}.db");

    internal static void Delete(string file)
    {
        foreach (var each in new[] { file, file + "-wal", file + "-shm" })
            File.Delete(each);
    }

    /// <summary>Appends another event of an id, with a tag.</summary>
    internal Task AppendAsync(string persistenceId, string tag = "red") => _appender.AppendAsync(
    [
        new JournalEvent { PersistenceId = persistenceId, SequenceNumber = ++_last, SerializerId = Bytes, Payload = new byte[] { 1 }, Tags = [tag] },
    ]);

    public async ValueTask DisposeAsync()
    {
        await _appender.DisposeAsync();
        if (_file is not null)
            Delete(_file);
    }
}
