using System.Threading.Channels;
using Throttled.Journal.PostgreSql;

namespace Throttled.Benchmarks.Shards;

/// <summary>
/// A few appenders for each shard, shared by all clients, as in an application with many writers. The appender of the whole
/// journal runs one call at a time, and is for one writer of large batches.
/// </summary>
internal sealed class AppenderPools : IAsyncDisposable
{
    /// <summary>Connections to each shard.</summary>
    internal const int Connections = 4;

    private readonly ShardMap _map;
    private readonly List<JournalAppender> _appenders = [];
    private readonly Channel<JournalAppender>[] _free;

    internal AppenderPools(ShardDatabases databases)
    {
        _map = databases.Map;
        _free = [.. databases.Connections.Select(Open)];
    }

    /// <summary>Appends an event to the shard of its persistence id, as soon as an appender of the shard is free.</summary>
    internal async Task AppendAsync(JournalEvent one)
    {
        var free = _free[_map.ShardOf(one.PersistenceId)];
        var appender = await free.Reader.ReadAsync();
        await appender.AppendAsync([one]);
        free.Writer.TryWrite(appender);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var appender in _appenders)
            await appender.DisposeAsync();
    }

    private Channel<JournalAppender> Open(string connection)
    {
        var free = Channel.CreateUnbounded<JournalAppender>();
        for (var i = 0; i < Connections; i++)
        {
            _appenders.Add(PostgreSqlJournal.OpenAppender(connection));
            free.Writer.TryWrite(_appenders[^1]);
        }
        return free;
    }
}
