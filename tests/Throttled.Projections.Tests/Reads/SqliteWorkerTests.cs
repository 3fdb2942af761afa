using Throttled.Journal.Sqlite;
using Throttled.Projections.Databases;
using Throttled.Projections.Reads;
using Throttled.Projections.Tests.Lanes;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Reads;

public sealed class SqliteWorkerTests : IAsyncLifetime, IAsyncDisposable
{
    private readonly string _file = Path.Combine(Path.GetTempPath(), $"throttled-{Guid.NewGuid():N}.db");
    private readonly ScriptedLaneStore _store = new();
    private readonly Poison _poison = new();
    private readonly List<JournalEvent> _persisted = [];
    private JournalAppender _appender = null!;
    private JournalReader _reader = null!;

    public async Task InitializeAsync()
    {
        _appender = SqliteJournal.OpenAppender($"Data Source={_file}");
        await _appender.CreateAsync();
        _reader = SqliteJournal.OpenReader($"Data Source={_file}");
    }

    [Fact]
    public async Task Every_event_of_a_journal_is_handled_once_and_in_order_of_its_id()
    {
        await PersistAsync(2000);
        await using var worker = Worker(ProjectionSource.All);
        worker.Start(_store.LayOut(4), _store.Epoch);
        await HandledAsync(2000);
        await PersistAsync(100);
        await HandledAsync(2100);
        foreach (var ofId in _store.Effects.GroupBy(stored => stored.PersistenceId))
            Assert.Equal(Enumerable.Range(1, ofId.Count()).Select(number => (long)number), ofId.Select(stored => stored.SequenceNumber));
        Assert.Empty(_store.Breaches);
    }

    [Fact]
    public async Task Lanes_that_stop_while_a_page_waits_for_room_continue_from_their_offsets()
    {
        await PersistAsync(1000);
        await using var worker = Worker(ProjectionSource.All, bytes: 1);
        for (var round = 0; round < 5; round++)
        {
            var lanes = _store.LayOut(round + 1);
            worker.Start(lanes, _store.Epoch);
            var some = Math.Min(1000, _store.Locked(() => _store.Effects.Count) + 50);
            await Wait.UntilAsync(() => _store.Locked(() => _store.Effects.Count) >= some, "some are handled");
            await worker.StopAsync([.. lanes.Select(lane => lane.Lane)], default);
        }
        worker.Start(_store.LayOut(3), _store.Epoch);
        await HandledAsync(1000);
        Assert.Empty(_store.Breaches);
    }

    [Fact]
    public async Task A_source_of_a_tag_handles_only_its_events()
    {
        await PersistAsync(100);
        await using var worker = Worker(ProjectionSource.ByTag("odd"));
        worker.Start(_store.LayOut(2), _store.Epoch);
        await HandledAsync(50);
        Assert.All(_store.Effects, stored => Assert.Equal(1, stored.SequenceNumber % 2));
    }

    [Fact]
    public async Task Lanes_of_a_tag_catch_up_on_other_events_and_store_the_offset_once_an_interval()
    {
        var clock = new FakeClock();
        await PersistAsync(50);
        await using var worker = Worker(ProjectionSource.ByTag("odd"), clock: clock);
        worker.Start(_store.LayOut(4), _store.Epoch);
        await PassedAsync(50);
        var commits = _store.Locked(() => _store.Commits);
        // From here on, all events are even.
        await PersistAsync(50);
        await PassedAsync(100);
        Assert.Equal((50, commits + 4), _store.Locked(() => (_store.Effects.Count, _store.Commits)));
        for (var second = 0; second < 30; second++)
        {
            clock.Advance(TimeSpan.FromSeconds(1));
            worker.Tick();
        }
        await PassedAsync(100);
        Assert.Equal(commits + 4, _store.Locked(() => _store.Commits));

        Task PassedAsync(long ordering) => Wait.UntilAsync(
            () =>
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                worker.Tick();
                return worker.Reports.All(report => report.Offset == ordering) && _store.Locked(() => _store.Offsets.All(row => row.Ordering == ordering));
            },
            () => $"all lanes are at {ordering}: {string.Join(' ', _store.Offsets)}");
    }

    [Fact]
    public async Task A_disposed_reader_is_reported_by_the_lanes_and_does_not_fail_them()
    {
        await PersistAsync(10);
        await using var worker = Worker(ProjectionSource.All);
        worker.Start(_store.LayOut(2), _store.Epoch);
        await HandledAsync(10);
        await _reader.DisposeAsync();
        await Wait.UntilAsync(() => worker.Reports.All(report => report.Error?.Contains("disposed", StringComparison.OrdinalIgnoreCase) == true), "a reason for each lane");
        Assert.DoesNotContain(worker.Reports, report => report.State == LaneState.Failed);
    }

    async Task IAsyncLifetime.DisposeAsync() => await DisposeAsync();

    public async ValueTask DisposeAsync()
    {
        await _reader.DisposeAsync();
        await _appender.DisposeAsync();
        foreach (var suffix in (string[])["", "-wal", "-shm", "-journal"])
            File.Delete(_file + suffix);
    }

    private Task HandledAsync(int events) => Wait.UntilAsync(
        () => _store.Locked(() => _store.Effects.Count) >= events, () => $"{events} events are handled; {_store.Locked(() => _store.Effects.Count)} are");

    private async Task PersistAsync(int count)
    {
        var events = Enumerable.Range(_persisted.Count, count).Select(index => new JournalEvent
        {
            PersistenceId = $"account-{index % 50}",
            SequenceNumber = (index / 50) + 1,
            Payload = "{}"u8.ToArray(),
            Tags = (index / 50) % 2 == 0 ? ["odd"] : ["even"],
        }).ToList();
        _persisted.AddRange(events);
        await _appender.AppendAsync(events);
    }

    private LaneWorker Worker(ProjectionSource source, long bytes = 1_000_000, TimeProvider? clock = null)
    {
        var options = new ProjectionOptions
        {
            Name = "balances", Source = source, Lanes = 4, BatchSize = 20, BatchAge = TimeSpan.FromMilliseconds(1), MaxBufferedBytes = bytes, Decoder = _poison.Decode,
            TimeProvider = clock ?? TimeProvider.System,
        };
        return new(SourceShard.Of(_reader, source), Make.Context(new ScriptedBatchHandler(_store, _poison), options, _store));
    }
}
