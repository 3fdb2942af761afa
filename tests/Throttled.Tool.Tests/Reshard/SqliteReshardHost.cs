using System.Data.Common;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;
using Throttled.Tool.Reshard;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>Files in a directory that goes with the tests.</summary>
public sealed class SqliteReshardHost : ReshardHost, IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-reshard-");
    private int _files;

    internal override string Database => "sqlite";

    internal override (string Layout, JournalTables Tables) Older => ("sqlite", JournalTables.Sqlite);

    internal override string CreateOlder =>
        """
        PRAGMA journal_mode = WAL;
        CREATE TABLE event_journal (
            ordering INTEGER PRIMARY KEY NOT NULL, persistence_id VARCHAR(255) NOT NULL, sequence_nr INTEGER(8) NOT NULL,
            is_deleted INTEGER(1) NOT NULL, manifest VARCHAR(255) NULL, timestamp INTEGER NOT NULL, payload BLOB NOT NULL,
            tags VARCHAR(2000) NULL, serializer_id INTEGER(4), UNIQUE (persistence_id, sequence_nr));
        CREATE INDEX of_tags ON event_journal (tags);
        CREATE TABLE journal_metadata (persistence_id VARCHAR(255) NOT NULL, sequence_nr INTEGER(8) NOT NULL, PRIMARY KEY (persistence_id, sequence_nr));
        """;

    internal override string True => "1";

    public void Dispose() => _directory.Delete(recursive: true);

    internal override string NewDatabase() => $"Data Source={Path.Combine(_directory.FullName, $"{Interlocked.Increment(ref _files)}.db")}";

    internal override async Task<DbConnection> ConnectAsync(string database)
    {
        var connection = new SqliteConnection($"{database};Pooling=False");
        await connection.OpenAsync();
        return connection;
    }

    internal override IShardDatabase Open(string database, JournalTables tables) => SqliteShard.Open(database, tables);

    internal override JournalAppender OpenAppender(string database, JournalTables? tables) => SqliteJournal.OpenAppender(database, tables);

    internal override JournalReader OpenReader(string database, JournalOptions? options) => SqliteJournal.OpenReader(database, options);
}
