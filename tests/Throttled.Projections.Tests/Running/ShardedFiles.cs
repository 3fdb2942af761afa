using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;

namespace Throttled.Projections.Tests.Running;

/// <summary>A journal in four SQLite files, an undivided journal, and a read model that refuses an event the second time.</summary>
internal sealed class ShardedFiles : IDisposable
{
    internal static readonly ShardMap Map = ShardMap.Even(4);

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-shards-");
    private readonly Dictionary<string, long> _numbers = [];

    /// <summary>One of 60 ids, in turn; they are in all shards.</summary>
    internal static string IdOf(int index) => $"{index % 60}-account";

    /// <summary>The number of events that were appended.</summary>
    internal int Events { get; private set; }

    internal string PathOf(int shard) => Path.Combine(_directory.FullName, $"shard-{shard}.db");

    internal JournalReader OpenJournal() => ShardedJournal.OpenReader(Shards, SqliteJournal.OpenReader, Options);

    internal JournalReader OpenWhole() => SqliteJournal.OpenReader(Whole, Options);

    internal ReadModelDatabase OpenReadModel() => ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource(Model));

    internal async Task AppendAsync(int count, bool isWhole = false)
    {
        await using var appender = isWhole ? SqliteJournal.OpenAppender(Whole) : ShardedJournal.OpenAppender(Shards, SqliteJournal.OpenAppender);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(0, count).Select(index => Next(IdOf(index)))]);
        Events += count;
    }

    /// <summary>Divides the undivided journal and keeps its orderings. Later orderings are above them in each shard.</summary>
    internal async Task DivideAsync()
    {
        await using (var appender = ShardedJournal.OpenAppender(Shards, SqliteJournal.OpenAppender))
            await appender.CreateAsync();
        for (var shard = 0; shard < Map.Count; shard++)
        {
            var ids = string.Join(',', _numbers.Keys.Where(id => Map.ShardOf(id) == shard).Select(id => $"'{id}'"));
            await ExecuteAsync(
                Shards[shard],
                $"""
                ATTACH '{Path.Combine(_directory.FullName, "whole.db")}' AS whole;
                INSERT INTO journal SELECT * FROM whole.journal WHERE persistence_id IN ({ids});
                UPDATE sqlite_sequence SET seq = (SELECT seq FROM whole.sqlite_sequence WHERE name = 'journal') WHERE name = 'journal';
                DETACH whole
                """);
        }
    }

    /// <summary>The handled events, in the order of the commits.</summary>
    internal async Task<List<(string Id, long Number)>> HandledAsync(string version = "p")
    {
        await using var source = SqliteFactory.Instance.CreateDataSource(Model);
        await using var command = source.CreateCommand($"SELECT id, number FROM handled_{version} ORDER BY rowid");
        await using var reader = await command.ExecuteReaderAsync();
        List<(string, long)> rows = [];
        while (await reader.ReadAsync())
            rows.Add((reader.GetString(0), reader.GetInt64(1)));
        return rows;
    }

    public void Dispose() => _directory.Delete(recursive: true);

    private static JournalOptions Options => new() { RefreshInterval = TimeSpan.FromMilliseconds(10) };

    private string[] Shards => [.. Enumerable.Range(0, Map.Count).Select(shard => $"Data Source={PathOf(shard)};Pooling=False")];

    private string Whole => $"Data Source={Path.Combine(_directory.FullName, "whole.db")};Pooling=False";

    private string Model => $"Data Source={Path.Combine(_directory.FullName, "model.db")};Pooling=False";

    private JournalEvent Next(string id)
    {
        _numbers[id] = _numbers.GetValueOrDefault(id) + 1;
        return new() { PersistenceId = id, SequenceNumber = _numbers[id], Payload = "{}"u8.ToArray(), Tags = [_numbers[id] % 2 == 0 ? "even" : "odd"] };
    }

    private static async Task ExecuteAsync(string connectionString, string sql)
    {
        await using var connection = new SqliteConnection(connectionString);
        await connection.OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        await command.ExecuteNonQueryAsync();
    }

    /// <summary>Writes each event into the read model, as a key.</summary>
    internal sealed class Handler : BatchHandler
    {
        public override async Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken)
        {
            await using var command = scope.Connection.CreateCommand();
            command.Transaction = scope.Transaction;
            command.CommandText = $"CREATE TABLE IF NOT EXISTS handled_{scope.Version} (id text, number int, UNIQUE (id, number)); DELETE FROM handled_{scope.Version}";
            await command.ExecuteNonQueryAsync(cancellationToken);
        }

        public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            foreach (var each in batch)
            {
                await using var command = batch.Connection.CreateCommand();
                command.Transaction = batch.Transaction;
                command.CommandText = $"INSERT INTO handled_{batch.Version} VALUES ('{each.PersistenceId}', {each.SequenceNumber})";
                await command.ExecuteNonQueryAsync(cancellationToken);
            }
        }
    }
}
