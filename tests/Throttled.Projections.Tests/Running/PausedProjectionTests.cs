using System.Text;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

/// <summary>Running projections that are paused while their handlers are busy.</summary>
public sealed class PausedProjectionTests : IAsyncLifetime
{
    private readonly HostedFiles _files = new();
    private int _number;
    private JournalReader _journal = null!;
    private JournalAppender _appender = null!;

    public async Task InitializeAsync()
    {
        _appender = SqliteJournal.OpenAppender(_files.JournalString);
        await _appender.CreateAsync();
        _journal = _files.OpenJournal();
    }

    public async Task DisposeAsync()
    {
        await _journal.DisposeAsync();
        await _appender.DisposeAsync();
        _files.Delete();
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task After_a_pause_no_process_is_in_a_handler_or_writes_until_the_projection_is_resumed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var counter = new Counter();
        var projections = new List<Projection> { Start(readModel, counter), Start(readModel, counter) };
        var control = new ProjectionControl(readModel.ReadModel, HurriedClock.Instance);
        await Wait.UntilAsync(
            async () => await control.StatusAsync("counter") is [{ Lanes: { Count: 4 } lanes }] && lanes.Select(lane => lane.Owner).Distinct().Count() == 2, () => "both processes have lanes");
        for (var round = 0; round < 5; round++)
        {
            var before = counter.Handled;
            await AppendAsync(1_000);
            await Wait.UntilAsync(() => counter.Handled > before + 20, () => "events are handled");
            Assert.Equal("'counter' is paused; no lane runs.", await control.PauseAsync("counter").WithinAsync("the pause"));
            Assert.Equal(0, counter.InHand);
            var handled = counter.Handled;
            var offset = (await control.StatusAsync("counter"))[0].Events;
            await AppendAsync(50);
            Assert.Equal((handled, offset, 0), (counter.Handled, (await control.StatusAsync("counter"))[0].Events, counter.InHand));
            await control.ResumeAsync("counter");
        }
        foreach (var projection in projections)
            await projection.DisposeAsync();
        Assert.Equal("'counter' is paused; no lane runs.", await control.PauseAsync("counter"));
    }

    private Task AppendAsync(int count)
    {
        var first = (_number += count) - count;
        return _appender.AppendAsync([.. Enumerable.Range(first, count).Select(number => new JournalEvent
        {
            PersistenceId = $"id-{number}", SequenceNumber = 1, Manifest = "number", Payload = Encoding.UTF8.GetBytes($"{number}"),
        })]);
    }

    private Projection Start(TestReadModel readModel, Counter counter)
    {
        var projection = new Projection(_journal, readModel.OfAnotherProcess(), counter, new()
        {
            Name = "counter", Lanes = 4, BatchSize = 5, Decoder = new JsonEvents().Add<int>("number").Decode, TimeProvider = HurriedClock.Instance,
        });
        projection.Start();
        return projection;
    }

    private sealed class Counter : AtLeastOnceHandler
    {
        private int _inHand;
        private int _handled;

        internal int InHand => Volatile.Read(ref _inHand);

        internal int Handled => Volatile.Read(ref _handled);

        public override async Task HandleAsync(ProjectionEvent @event, string version, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _inHand);
            await Task.Yield();
            Interlocked.Increment(ref _handled);
            Interlocked.Decrement(ref _inHand);
        }
    }
}
