using System.Data.Common;
using Throttled.Journal.Sqlite;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sharding;

/// <summary>A SQLite file for each shard. One is made unavailable by an exclusive lock.</summary>
internal sealed class FileFleet : ShardFleet
{
    private readonly SqliteHost _host = new();
    private DbConnection? _lock;

    internal override string Database => "SQLite";

    internal static async Task<FileFleet> CreateAsync(int shards)
    {
        var fleet = new FileFleet();
        for (var shard = 0; shard < shards; shard++)
        {
            var journal = await fleet._host.NewJournalAsync();
            await journal.CloseAppenderAsync();
            fleet.Journals.Add(journal);
        }
        await fleet.MarkAsync();
        // With a WAL, readers of an open file cannot be locked out.
        foreach (var journal in fleet.Journals)
            await journal.ExecuteAsync("PRAGMA journal_mode = DELETE");
        return fleet;
    }

    internal override async Task TakeDownAsync(int shard)
    {
        _lock = await Journals[shard].ConnectAsync();
        await _lock.RunAsync("BEGIN EXCLUSIVE");
    }

    internal override async Task BringUpAsync(int shard)
    {
        await _lock!.DisposeAsync();
        _lock = null;
    }

    public override async ValueTask DisposeAsync()
    {
        if (_lock is not null)
            await _lock.DisposeAsync();
        await base.DisposeAsync();
        _host.Dispose();
    }

    // A writer waits only shortly for a locked file, because other shards wait for the writer.
    protected override JournalAppender OpenAppender(JournalUnderTest journal) =>
        SqliteJournal.OpenAppender($"Data Source={((SqliteJournalUnderTest)journal).File};Pooling=False;Default Timeout=1");
}
