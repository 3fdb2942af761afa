using Throttled.Projections.Databases;
using Throttled.Projections.Lanes;
using Throttled.Projections.Offsets;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Lanes;

public sealed class LaneCollectorTests : IDisposable
{
    private static readonly TimeSpan Age = TimeSpan.FromMilliseconds(50);

    private readonly FakeClock _clock = new();
    private readonly LaneQueue _queue = new(1000, new(0, 0));
    private LaneCollector? _collector;

    [Fact]
    public async Task A_full_batch_is_returned_at_once_and_the_rest_waits()
    {
        Open([new(new(0, 1023), 0, 0)]);
        _queue.TryPut(Make.Chunk(Make.Event(1), Make.Event(2), Make.Event(3), Make.Event(4)));
        var batch = await NextAsync();
        Assert.Equal([1, 2, 3], Orderings(batch));
        Assert.Equal(3, batch.ReadUpTo.Ordering);
        Assert.Equal(3 * 128, batch.Bytes);
        var rest = NextAsync();
        Assert.False(rest.IsCompleted);
        _clock.Advance(Age);
        Assert.Equal([4], Orderings(await rest));
    }

    [Fact]
    public async Task A_batch_that_is_not_full_waits_for_its_age()
    {
        Open([new(new(0, 1023), 0, 0)]);
        _queue.TryPut(Make.Chunk(Make.Event(1)));
        var batch = NextAsync();
        _clock.Advance(Age - TimeSpan.FromMilliseconds(1));
        Assert.False(batch.IsCompleted);
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal([1], Orderings(await batch));
    }

    [Fact]
    public async Task A_batch_of_old_events_waits_ten_times_as_long()
    {
        Open([new(new(0, 1023), 0, 0)]);
        _queue.TryPut(Make.Chunk(Make.Event(1, timestamp: _clock.GetUtcNow().UtcTicks - TimeSpan.FromSeconds(11).Ticks)));
        var batch = NextAsync();
        _clock.Advance((10 * Age) - TimeSpan.FromMilliseconds(1));
        Assert.False(batch.IsCompleted);
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal([1], Orderings(await batch));
    }

    [Fact]
    public async Task A_batch_is_returned_if_no_more_events_can_come()
    {
        Open([new(new(0, 1023), 0, 0)], size: 100);
        _queue.TryPut(Make.Chunk(Make.Event(1, bytes: 500)));
        var batch = NextAsync();
        Assert.False(batch.IsCompleted);
        var put = _queue.PutAsync(Make.Chunk(Make.Event(2, bytes: 500)), Make.Never, default);
        var first = await batch;
        Assert.Equal([1], Orderings(first));
        Assert.False(put.IsCompleted);
        _queue.Return(first.Bytes);
        await put.WithinAsync("there is room again");
    }

    [Fact]
    public async Task No_batch_is_returned_while_the_writer_wants_none()
    {
        Open([new(new(0, 1023), 0, 0)]);
        var isWanted = false;
        _queue.TryPut(Make.Chunk(Make.Event(1), Make.Event(2), Make.Event(3)));
        var batch = NextAsync(() => isWanted);
        _clock.Advance(10 * Age);
        Assert.False(batch.IsCompleted);
        isWanted = true;
        _queue.Wake();
        Assert.Equal([1, 2, 3], Orderings(await batch));
    }

    [Fact]
    public async Task A_lane_without_events_moves_on_after_ten_seconds_if_the_read_has_moved()
    {
        Open([new(new(0, 1023), 0, 0)]);
        var batch = NextAsync();
        Tick(TimeSpan.FromSeconds(20));
        Assert.False(batch.IsCompleted);
        _queue.Passed(new(77, 770));
        Tick(TimeSpan.Zero);
        var first = await batch.WithinAsync("the lane moves on");
        Assert.Empty(first.Events);
        Assert.Equal(new(77, 770), first.ReadUpTo);
        _queue.Passed(new(78, 780));
        var second = NextAsync();
        Tick(TimeSpan.FromSeconds(9));
        Assert.False(second.IsCompleted);
        Tick(TimeSpan.FromSeconds(1));
        Assert.Equal(78, (await second).ReadUpTo.Ordering);
    }

    [Fact]
    public async Task Events_that_the_lane_has_already_are_skipped_and_their_room_is_returned()
    {
        var low = Ids().First(id => JournalSlices.Of(id) < 512);
        var high = Ids().First(id => JournalSlices.Of(id) >= 512);
        Open([new(new(0, 511), 5, 0), new(new(512, 1023), 2, 0)]);
        _queue.TryPut(Make.Chunk(Make.Event(3, low), Make.Event(4, high), Make.Event(5, low), Make.Event(6, low)));
        var batch = NextAsync();
        _clock.Advance(Age);
        Assert.Equal([4, 6], Orderings(await batch));
        Assert.Equal(2 * 128, _queue.Bytes);
    }

    [Fact]
    public async Task An_event_that_cannot_be_decoded_comes_with_its_error()
    {
        Open([new(new(0, 1023), 0, 0)], decoder: stored => stored.Ordering == 2 ? throw new FormatException("torn") : stored);
        _queue.TryPut(Make.Chunk(Make.Event(1), Make.Event(2), Make.Event(3)));
        var batch = await NextAsync();
        Assert.Equal("torn", batch.Events[1].Undecodable?.Message);
        Assert.All([batch.Events[0], batch.Events[2]], each => Assert.Null(each.Undecodable));
    }

    [Fact]
    public async Task A_payload_that_was_not_read_is_an_error_unless_the_decoder_skips_the_event()
    {
        Open([new(new(0, 1023), 0, 0)], decoder: stored => stored.Ordering == 2 ? null : stored);
        _queue.TryPut(Make.Chunk(Make.Event(1, omitted: 5_000), Make.Event(2, omitted: 5_000), Make.Event(3)));
        var batch = await NextAsync();
        Assert.Equal([false, false, true], batch.Events.Select(each => each.Payload is not null));
        Assert.Equal([true, false, false], batch.Events.Select(each => each.Undecodable is not null));
        Assert.Equal(
            "The payload has 5000 bytes and was not read. Raise 'MaxPayloadBytes' of the journal ('max-payload-bytes' of a read journal), or have the 'Decoder' return null for such events.",
            batch.Events[0].Undecodable?.Message);
    }

    [Fact]
    public async Task A_closed_queue_gives_no_batch()
    {
        Open([new(new(0, 1023), 0, 0)]);
        var batch = NextAsync(() => true);
        _queue.Close();
        Assert.Null(await _collector!.NextAsync(() => true));
        await Assert.ThrowsAsync<InvalidOperationException>(() => batch);
    }

    [Fact]
    public async Task A_queue_that_is_closed_while_it_is_read_returns_no_batch()
    {
        Open([new(new(0, 1023), 0, 0)], size: 2);
        _queue.TryPut(Make.Chunk(Make.Event(1), Make.Event(2)));
        Assert.Null(await _collector!.NextAsync(() =>
        {
            _queue.Close();
            return true;
        }).WithinAsync("the end"));
    }

    [Fact]
    public async Task Objects_of_other_types_take_no_room_and_start_no_batch()
    {
        Open([new(new(0, 1023), 0, 0)], decoder: stored => stored.Ordering % 4 == 0 ? "text" : 7, source: ProjectionSource.All.OfTypes(typeof(string)));
        _queue.TryPut(Make.Chunk([.. Enumerable.Range(1, 3).Select(ordering => Make.Event(ordering, bytes: 300))]));
        var batch = NextAsync();
        await Wait.UntilAsync(() => _queue.Bytes == 0, "the room of the others");
        _clock.Advance(Age);
        Assert.False(batch.IsCompleted);
        _queue.TryPut(Make.Chunk(Make.Event(4), Make.Event(5)));
        await Wait.UntilAsync(() => _queue.Bytes == 128, "the room of the others");
        _clock.Advance(Age);
        Assert.Equal([4L], Orderings(await batch));
        Assert.Equal(5, (await batch).ReadUpTo.Ordering);
    }

    public void Dispose() => _collector?.Dispose();

    private static IEnumerable<string> Ids() => Enumerable.Range(0, 1000).Select(number => $"account-{number}");

    private static IEnumerable<long> Orderings(LaneBatch batch) => batch.Events.Select(each => each.Stored.Ordering);

    private LaneCollector Open(IReadOnlyList<SliceOffset> rows, int size = 3, Func<JournalEvent, object?>? decoder = null, ProjectionSource? source = null)
    {
        var options = new ProjectionOptions
        {
            Name = "balances", BatchSize = size, BatchAge = Age, TimeProvider = _clock, Decoder = decoder ?? (stored => stored),
            Source = source ?? ProjectionSource.All,
        };
        return _collector = new(Make.Context(null!, options, null!), _queue, new(rows));
    }

    // The queue wakes the collector on a thread of the pool.
    private async Task<LaneBatch> NextAsync(Func<bool>? isWanted = null) =>
        await _collector!.NextAsync(isWanted ?? (() => true)).WithinAsync("a batch") ?? throw new InvalidOperationException("No batch.");

    private void Tick(TimeSpan time)
    {
        _clock.Advance(time);
        _queue.Wake();
    }
}
