using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Tests.Sharding;

public sealed class ShardedAppenderTests : IAsyncLifetime
{
    private static readonly ShardMap Map = ShardMap.Even(3);
    private static readonly JournalEvent[] Events = [.. TestEvents.OfEach([.. Enumerable.Range(0, 30).Select(i => $"p-{i * 97}")], 1, 2)];

    private readonly FakeAppender[] _shards = [new(), new(), new()];
    private readonly JournalAppender _appender;

    public ShardedAppenderTests() => _appender = ShardedJournal.OpenAppender([0, 1, 2], (shard, _) => _shards[shard]);

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        await _appender.DisposeAsync();
        Assert.All(_shards, shard => Assert.True(shard.IsDisposed));
    }

    [Fact]
    public async Task Each_shard_gets_the_events_of_its_ids_in_order()
    {
        await _appender.AppendAsync(Events);
        for (var shard = 0; shard < 3; shard++)
        {
            Assert.NotEmpty(_shards[shard].Appended);
            Assert.Equal(Of(shard), _shards[shard].Appended);
        }
    }

    [Fact]
    public async Task A_shard_checks_its_mark_once_before_the_first_append()
    {
        await _appender.AppendAsync(Events);
        await _appender.AppendAsync(Events);
        for (var shard = 0; shard < 3; shard++)
            Assert.Equal([$"mark {shard} of {Map}", "append", "append"], _shards[shard].Calls);
    }

    [Fact]
    public async Task Creating_creates_and_marks_all()
    {
        await _appender.CreateAsync();
        await _appender.AppendAsync([.. Of(1)]);
        Assert.Equal(["create", $"mark 1 of {Map}", "append"], _shards[1].Calls);
        Assert.Equal(["create", $"mark 0 of {Map}"], _shards[0].Calls);
    }

    [Fact]
    public async Task Nothing_is_appended_anywhere_while_the_mark_of_one_is_of_another_map()
    {
        var refusal = ShardMark.Another("journal", new(Map, 0), new(0, "0-1023"));
        _shards[0].ShardMarkFailure = refusal;

        Assert.Same(refusal, await Assert.ThrowsAsync<ShardMarkException>(() => _appender.AppendAsync([.. Of(2)])));
        Assert.Same(refusal, await Assert.ThrowsAsync<ShardMarkException>(() => _appender.AppendAsync([.. Of(2)])));
        Assert.All(_shards, shard => Assert.Empty(shard.Appended));
        Assert.Empty(_shards[2].Calls);
    }

    [Fact]
    public async Task An_unavailable_shard_fails_only_its_own_events_and_is_checked_again_for_the_next()
    {
        _shards[1].ShardMarkFailure = new IOException("The server is down.");
        await _appender.AppendAsync([.. Of(2)]);
        await Assert.ThrowsAsync<IOException>(() => _appender.AppendAsync([.. Of(1)]));
        _shards[1].ShardMarkFailure = null;
        await _appender.AppendAsync([.. Of(1)]);

        Assert.Equal(Of(1), _shards[1].Appended);
        Assert.Equal(Of(2), _shards[2].Appended);
    }

    [Fact]
    public async Task If_some_shards_fail_their_events_are_named_and_the_others_keep_theirs()
    {
        _shards[1].Appending = _ => throw new IOException("The disk is full.");

        var error = await Assert.ThrowsAsync<ShardedAppendException>(() => _appender.AppendAsync(Events));

        Assert.Equal(Of(1), error.NotAppended);
        Assert.Equal("1 of 3 shards did not append their events; the others did. Shard 1: The disk is full.", error.Message);
        Assert.IsType<IOException>(error.InnerException);
        Assert.Equal(Of(0), _shards[0].Appended);
        Assert.Equal(Of(2), _shards[2].Appended);
    }

    [Fact]
    public async Task Events_that_were_not_appended_can_be_appended_again()
    {
        _shards[0].Appending = _ => throw new IOException("down");
        var error = await Assert.ThrowsAsync<ShardedAppendException>(() => _appender.AppendAsync(Events));
        _shards[0].Appending = _ => Task.CompletedTask;
        await _appender.AppendAsync([.. error.NotAppended]);
        Assert.Equal(Events.Length, _shards.Sum(shard => shard.Appended.Count));
        Assert.Equal(Of(0), _shards[0].Appended);
    }

    [Fact]
    public async Task A_shard_of_another_map_takes_nothing()
    {
        _shards[2].ShardMarkFailure = new InvalidOperationException("another map");
        var error = await Assert.ThrowsAsync<ShardedAppendException>(() => _appender.AppendAsync(Events));
        Assert.Equal(Of(2), error.NotAppended);
        Assert.Empty(_shards[2].Appended);
    }

    [Fact]
    public async Task If_all_shards_fail_nothing_is_appended_and_the_first_failure_is_thrown()
    {
        var errors = _shards.Select((_, shard) => new IOException($"{shard}")).ToList();
        for (var shard = 0; shard < 3; shard++)
        {
            var error = errors[shard];
            _shards[shard].Appending = _ => throw error;
        }
        Assert.Contains(await Assert.ThrowsAsync<IOException>(() => _appender.AppendAsync(Events)), errors);
        Assert.All(_shards, shard => Assert.Empty(shard.Appended));
    }

    [Fact]
    public async Task A_call_that_is_cancelled_in_all_shards_is_cancelled()
    {
        using var cancellation = new CancellationTokenSource();
        foreach (var shard in _shards)
            shard.Appending = token => Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, token);
        var appending = _appender.AppendAsync(Events, cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => appending);
    }

    [Fact]
    public async Task A_call_that_is_cancelled_in_some_shards_names_what_was_not_appended()
    {
        using var cancellation = new CancellationTokenSource();
        _shards[0].Appending = token => Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, token);
        var appending = _appender.AppendAsync(Events, cancellation.Token);
        await cancellation.CancelAsync();
        var error = await Assert.ThrowsAsync<ShardedAppendException>(() => appending);
        Assert.Equal(Of(0), error.NotAppended);
        Assert.IsAssignableFrom<OperationCanceledException>(error.InnerException);
    }

    [Fact]
    public async Task Events_that_no_shard_can_keep_are_refused_before_any_takes_one()
    {
        JournalEvent[] events = [.. Events, TestEvents.One("p", 0)];
        var error = await Assert.ThrowsAsync<ArgumentException>(() => _appender.AppendAsync(events));
        Assert.Contains("'SequenceNumber' of event 61 (\"p\") is 0", error.Message, StringComparison.Ordinal);
        Assert.All(_shards, shard => Assert.Empty(shard.Calls));
    }

    [Fact]
    public async Task An_empty_append_does_nothing()
    {
        await _appender.AppendAsync([]);
        Assert.All(_shards, shard => Assert.Empty(shard.Calls));
    }

    [Fact]
    public async Task A_second_call_is_refused_while_one_runs()
    {
        var release = new TaskCompletionSource();
        _shards[1].Appending = _ => release.Task;
        var first = _appender.AppendAsync(Events);
        await Assert.ThrowsAsync<InvalidOperationException>(() => _appender.AppendAsync(Events));
        await Assert.ThrowsAsync<InvalidOperationException>(() => _appender.CreateAsync());
        release.SetResult();
        await first;
        Assert.Equal(Events.Length, _shards.Sum(shard => shard.Appended.Count));
    }

    private static IEnumerable<JournalEvent> Of(int shard) => Events.Where(each => Map.ShardOf(each.PersistenceId) == shard);
}
