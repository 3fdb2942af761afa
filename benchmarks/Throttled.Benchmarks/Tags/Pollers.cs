using System.Data.Common;
using Microsoft.Data.Sqlite;
using Throttled.Benchmarks.Writing;

namespace Throttled.Benchmarks.Tags;

/// <summary>
/// One poller for each stream, as in Akka.Persistence.Sql: it reads pages of 500, the next one at once after a full page,
/// otherwise after a second. Its permits do not matter here, because there are more permits than streams. Each poller has a
/// thread, because the thread pool would delay polls.
/// </summary>
// https://github.com/akkadotnet/Akka.Persistence.Sql/blob/35ec93c/src/Akka.Persistence.Sql/Query/SqlReadJournal.cs
internal sealed class Pollers(OwnJournal journal, int count) : ITagReaders
{
    private static readonly TimeSpan Refresh = TimeSpan.FromSeconds(1);

    private readonly DbDataSource _source = journal.OpenSource();
    private readonly PagePoll _page = new(journal.Tables, journal.IsSqlite);
    private readonly CancellationTokenSource _end = new();
    private readonly List<Task> _threads = [];
    private SequencePoll? _sequence;
    private long _statements;

    public long Statements => Interlocked.Read(ref _statements);

    public async Task OpenAsync()
    {
        _sequence = new(journal, _source);
        await _sequence.BeginAsync();
        List<DbConnection> pool = [];
        for (var i = 0; i <= count; i++)
            pool.Add(await _source.OpenConnectionAsync());
        foreach (var one in pool)
            await one.DisposeAsync();
    }

    public void Start(TagStreams streams)
    {
        Run(streams, Look);
        for (var i = 0; i < count; i++)
        {
            var stream = i;
            Run(streams, () => Poll(streams, stream));
        }
    }

    public Task FollowAsync() => Task.Delay(Refresh);

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_threads);
        await _source.DisposeAsync();
        SqliteConnection.ClearAllPools();
        _end.Dispose();
    }

    private void Run(TagStreams streams, Action poll) => _threads.Add(Task.Factory.StartNew(
        () =>
        {
            try
            {
                poll();
            }
            catch (Exception error)
            {
                streams.Failed(error);
            }
        },
        CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));

    private void Look()
    {
        while (!_end.Token.WaitHandle.WaitOne(Refresh))
        {
            _sequence!.Look();
            Interlocked.Increment(ref _statements);
        }
    }

    // After an empty page, all up to the maximum has been read; after any other page, all up to its last event.
    private void Poll(TagStreams streams, int stream)
    {
        for (var position = streams.After; !_end.IsCancellationRequested;)
        {
            var max = _sequence!.Max;
            var page = ReadPage(streams.Plan.Tag(stream), position, max);
            foreach (var ordering in page)
                streams.Arrived(stream, ordering);
            position = page.Count > 0 ? page[^1] : Math.Max(position, max);
            if (page.Count < PagePoll.Rows)
                _end.Token.WaitHandle.WaitOne(Refresh);
        }
    }

    private List<long> ReadPage(string tag, long after, long max)
    {
        using var open = _source.OpenConnection();
        // On SQLite, a transaction takes the write lock. Timeout 0 means that it waits for the lock without a limit.
        if (open is SqliteConnection sqlite)
            sqlite.DefaultTimeout = 0;
        Interlocked.Increment(ref _statements);
        return _page.Read(open, tag, after, max);
    }
}
