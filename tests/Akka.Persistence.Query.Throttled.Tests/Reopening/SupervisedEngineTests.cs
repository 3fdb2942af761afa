using System.Reflection;
using Akka.Persistence.Query.Throttled.Reopening;
using Throttled.Journal.Database;
using Throttled.Journal.Queries;
using Throttled.Journal.Sqlite;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Tests.Reopening;

/// <summary>The next engine after one has ended.</summary>
public sealed class SupervisedEngineTests : IAsyncLifetime
{
    // Longer than any pause, to distinguish the two timers.
    private static readonly TimeSpan CloseTimeout = TimeSpan.FromMinutes(5);

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-supervised-");
    private readonly FakeClock _clock = new();
    private readonly List<JournalEngine> _engines = [];
    private readonly SupervisedEngine _supervised;
    private Exception? _fault;
    private bool _isStuck;
    private Action? _opening;

    public SupervisedEngineTests() => _supervised = new SupervisedEngine(
        _ => Open(), () => new JournalClosedException("it", "system"), CloseTimeout, _clock).Start();

    private string ConnectionString => $"Data Source={Path.Combine(_directory.FullName, "journal.db")};Pooling=False";

    public async Task InitializeAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(ConnectionString);
        await appender.CreateAsync();
        await appender.AppendAsync([new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = new byte[1] }]);
    }

    public async Task DisposeAsync()
    {
        await _supervised.DisposeAsync();
        _directory.Delete(recursive: true);
    }

    [Fact]
    public async Task The_pause_before_reopening_grows_with_each_end()
    {
        End();
        await OpensAsync(2);
        foreach (var seconds in (int[])[1, 2, 4, 8, 16, 32, 60, 60])
        {
            var opened = _engines.Count;
            End();
            await Wait.UntilAsync(() => _clock.NextRing == _clock.Now + TimeSpan.FromSeconds(seconds), $"a pause of {seconds} s");
            _clock.Advance(TimeSpan.FromSeconds(seconds));
            await OpensAsync(opened + 1);
        }
        // The engine ran for more than a minute, so the pauses start again.
        _clock.Advance(TimeSpan.FromSeconds(61));
        var last = _engines.Count;
        End();
        await OpensAsync(last + 1);
    }

    [Fact]
    public async Task Queries_that_start_in_a_pause_wait_for_the_next_engine()
    {
        await PauseAsync();
        var reading = new JournalReader(_supervised).CurrentAllEvents().AllAsync();
        var ids = new JournalReader(_supervised).CurrentPersistenceIds().AllAsync();
        Assert.False(reading.IsCompleted);
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Single(await reading.WithinAsync("the events"));
        Assert.Equal(["a"], await ids.WithinAsync("the ids"));
    }

    [Fact]
    public async Task Requests_in_a_pause_are_answered_by_the_next_engine()
    {
        await PauseAsync();
        var end = _supervised.EndAsync(default);
        var last = _supervised.LastIssuedAsync(default);
        using var cancellation = new CancellationTokenSource();
        var given = _supervised.EndAsync(cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => given.WithinAsync("the end of the wait"));
        Assert.False(end.IsCompleted || last.IsCompleted);
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((1, 1), (await end.WithinAsync("the end"), await last.WithinAsync("the last number")));
        Assert.Same(_supervised, Assert.Single(((IJournal)_supervised).Shards));
    }

    [Fact]
    public async Task A_query_that_started_in_a_pause_reports_how_far_it_has_read()
    {
        await PauseAsync();
        await using var events = new JournalReader(_supervised).EventsByTag("nothing").GetAsyncEnumerator();
        _ = events.MoveNextAsync().AsTask();
        _clock.Advance(TimeSpan.FromSeconds(1));
        await Wait.UntilAsync(async () => await ((IScanning)events).ScannedAsync() is { UpTo: 1 }, () => "the query has read through the journal");
    }

    [Fact]
    public async Task A_query_that_is_cancelled_in_a_pause_ends_when_the_next_engine_opens()
    {
        await PauseAsync();
        using var cancellation = new CancellationTokenSource();
        await using var events = new JournalReader(_supervised).EventsByPersistenceId("unknown").GetAsyncEnumerator(cancellation.Token);
        var next = events.MoveNextAsync().AsTask();
        await cancellation.CancelAsync();
        _clock.Advance(TimeSpan.FromSeconds(1));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => next.WithinAsync("the end of the query"));
    }

    [Fact]
    public async Task If_reopening_fails_waiting_queries_fail_and_the_next_query_retries()
    {
        await PauseAsync();
        _fault = new InvalidOperationException("No more memory.");
        var failing = new JournalReader(_supervised).CurrentAllEvents().AllAsync();
        _clock.Advance(TimeSpan.FromSeconds(1));
        var error = await Assert.ThrowsAsync<JournalException>(() => failing.WithinAsync("the failure"));
        Assert.Equal("The read journal cannot be opened again: No more memory.", error.Message);

        _fault = null;
        var reading = new JournalReader(_supervised).CurrentAllEvents().AllAsync();
        await Wait.UntilAsync(() => _clock.NextRing == _clock.Now + TimeSpan.FromSeconds(2), "a longer pause");
        _clock.Advance(TimeSpan.FromSeconds(2));
        Assert.Single(await reading.WithinAsync("the events"));
    }

    [Fact]
    public async Task Disposal_in_a_pause_fails_waiting_queries_and_opens_no_engine()
    {
        await PauseAsync();
        var waiting = new JournalReader(_supervised).AllEvents().AllAsync();
        await _supervised.DisposeAsync().AsTask().WithinAsync("its end");
        await Assert.ThrowsAsync<JournalClosedException>(() => waiting.WithinAsync("the failure"));
        await Assert.ThrowsAsync<JournalClosedException>(() => new JournalReader(_supervised).AllEvents().AllAsync());
        Assert.Equal(2, _engines.Count);
    }

    [Fact]
    public async Task Disposal_during_a_reopening_closes_the_new_engine_too()
    {
        var closing = Task.CompletedTask;
        _opening = () => closing = _supervised.DisposeAsync().AsTask();
        End();
        await Wait.UntilAsync(() => _engines.Count == 2, "the next engine");
        await closing.WithinAsync("its end");
        Assert.True(_engines[1].IsClosing);
    }

    [Fact]
    public async Task The_wait_for_the_statements_of_an_ended_engine_has_a_limit()
    {
        _isStuck = true;
        End();
        await OpensAsync(2);
        // The second engine is stuck.
        End();
        await Wait.UntilAsync(() => _clock.NextRing == _clock.Now + CloseTimeout, "the wait for its statements");
        _clock.Advance(CloseTimeout);
        await Wait.UntilAsync(() => _clock.NextRing == _clock.Now + TimeSpan.FromSeconds(1), "a pause");
        _clock.Advance(TimeSpan.FromSeconds(1));
        await OpensAsync(3);
    }

    [Fact]
    public async Task The_end_of_a_replaced_engine_is_ignored()
    {
        End();
        await OpensAsync(2);
        _supervised.Ended(_engines[0]);
        Assert.Same(_engines[1], _supervised.Engine);
        Assert.Single(await new JournalReader(_supervised).CurrentAllEvents().AllAsync());
        Assert.Equal(2, _engines.Count);
    }

    // The next engine opens at once the first time, then after a pause.
    private async Task PauseAsync()
    {
        End();
        await OpensAsync(2);
        End();
        await Wait.UntilAsync(() => _clock.NextRing == _clock.Now + TimeSpan.FromSeconds(1), "a pause");
    }

    private void End() => _supervised.Ended(_engines[^1]);

    private Task OpensAsync(int count) => Wait.UntilAsync(() => _supervised.Engine == _engines[^1] && _engines.Count == count, $"engine {count}");

    private JournalEngine Open()
    {
        if (_fault is not null)
            throw _fault;
        _opening?.Invoke();
        var options = new JournalOptions();
        var database = SqliteJournal.OpenDatabase(ConnectionString, options);
        if (_isStuck && _engines.Count == 1)
            database = Stuck.Of(database);
        var engine = new JournalEngine(database, options);
        _engines.Add(engine);
        return engine;
    }

    /// <summary>A database whose disposal never ends.</summary>
    public class Stuck : DispatchProxy
    {
        private object _inner = null!;

        internal static IJournalDatabase Of(IJournalDatabase inner)
        {
            var stuck = Create<IJournalDatabase, Stuck>();
            ((Stuck)(object)stuck)._inner = inner;
            return stuck;
        }

        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => targetMethod!.Name == nameof(IAsyncDisposable.DisposeAsync)
            ? new ValueTask(new TaskCompletionSource().Task)
            : targetMethod.Invoke(_inner, args);
    }
}
