using System.Data.Common;
using Throttled.Journal;
using Throttled.Journal.Sqlite;
using Throttled.Journal.Sqlite.Tests.Contract;
using Throttled.Testing;

namespace Throttled.Faults.Sharding;

/// <summary>A SQLite file for each shard; one is taken away by somebody who locks all others out.</summary>
internal sealed class FileFleet : ShardFleet
{
    private readonly SqliteHost _host = new();
    private DbConnection? _holder;

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
        await fleet.StampAsync();
        // With a WAL nobody can lock readers out of a file that they have open.
        foreach (var journal in fleet.Journals)
            await journal.ExecuteAsync("PRAGMA journal_mode = DELETE");
        return fleet;
    }

    internal override async Task TakeAwayAsync(int shard)
    {
        _holder = await Journals[shard].ConnectAsync();
        await _holder.RunAsync("BEGIN EXCLUSIVE");
    }

    internal override async Task BringBackAsync(int shard)
    {
        await _holder!.DisposeAsync();
        _holder = null;
    }

    public override async ValueTask DisposeAsync()
    {
        if (_holder is not null)
            await _holder.DisposeAsync();
        await base.DisposeAsync();
        _host.Dispose();
    }

    // A writer does not wait long for a file that is locked: others wait for it.
    protected override JournalAppender OpenAppender(JournalUnderTest journal) =>
        SqliteJournal.OpenAppender($"Data Source={((SqliteJournalUnderTest)journal).File};Pooling=False;Default Timeout=1");
}
