using Throttled.Testing.Scripted;
using Throttled.Projections.Lanes;

namespace Throttled.Projections.Tests.Lanes;

public sealed class LaneQueueTests
{
    private readonly LaneQueue _queue = new(100, new(0, 0));

    [Fact]
    public void An_empty_queue_takes_any_chunk_and_a_full_one_none()
    {
        Assert.True(_queue.TryPut(Make.Chunk(1000, 1)));
        Assert.False(_queue.TryPut(Make.Chunk(1, 2)));
        Assert.Equal(1, _queue.ReadUpTo.Ordering);
    }

    [Fact]
    public void Taken_chunks_use_room_until_they_are_returned()
    {
        Assert.True(_queue.TryPut(Make.Chunk(60, 1)));
        Assert.True(_queue.TryTake(out _));
        Assert.False(_queue.TryPut(Make.Chunk(60, 2)));
        _queue.Return(60);
        Assert.True(_queue.TryPut(Make.Chunk(60, 2)));
    }

    [Fact]
    public async Task A_put_that_waits_for_room_completes_when_there_is_enough()
    {
        Assert.True(_queue.TryPut(Make.Chunk(90, 1)));
        var put = _queue.PutAsync(Make.Chunk(50, 2), Make.Never, default);
        _queue.Return(10);
        Assert.False(put.IsCompleted);
        _queue.Return(40);
        await put.WithinAsync("the chunk is put in");
        Assert.Equal(2, _queue.ReadUpTo.Ordering);
        Assert.Equal(90, _queue.Bytes);
    }

    [Fact]
    public async Task A_queue_is_full_if_nothing_is_left_to_take_and_a_put_waits()
    {
        Assert.True(_queue.TryPut(Make.Chunk(90, 1)));
        _ = _queue.PutAsync(Make.Chunk(50, 2), Make.Never, default);
        Assert.False(_queue.IsFull);
        await _queue.ChangedAsync().WithinAsync("the put woke the lane");
        Assert.True(_queue.TryTake(out _));
        Assert.True(_queue.IsFull);
        _queue.Return(90);
        Assert.False(_queue.IsFull);
    }

    [Fact]
    public async Task A_closed_queue_releases_waiting_puts_and_ignores_later_ones()
    {
        Assert.True(_queue.TryPut(Make.Chunk(90, 1)));
        var put = _queue.PutAsync(Make.Chunk(50, 2), Make.Never, default);
        _queue.Close();
        await put.WithinAsync("no put waits for room in a closed queue");
        await _queue.ChangedAsync().WithinAsync("the end completes the wait");
        Assert.False(_queue.TryTake(out _));
        Assert.Equal(0, _queue.Bytes);
    }

    [Fact]
    public async Task A_put_that_waits_for_room_can_be_cancelled()
    {
        using var cancellation = new CancellationTokenSource();
        Assert.True(_queue.TryPut(Make.Chunk(90, 1)));
        var put = _queue.PutAsync(Make.Chunk(50, 2), Make.Never, cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => put);
        Assert.Equal(1, _queue.ReadUpTo.Ordering);
    }

    [Fact]
    public void The_ordering_that_was_read_up_to_never_decreases()
    {
        _queue.Passed(new(7, 70));
        _queue.Passed(new(5, 50));
        Assert.Equal(new(7, 70), _queue.ReadUpTo);
    }

    [Fact]
    public async Task A_wake_without_a_waiter_completes_the_next_wait_only()
    {
        _queue.Wake();
        await _queue.ChangedAsync().WithinAsync("the earlier wake");
        Assert.False(_queue.ChangedAsync().IsCompleted);
    }

    [Fact]
    public void Nothing_is_lost_or_doubled_between_puts_and_takes_and_the_bound_holds() => Seeds.ForEach(20, seed => new Random(seed), random =>
    {
        const int Chunks = 200;
        var maxBytes = random.Next(1, 400);
        var queue = new LaneQueue(maxBytes, new(0, 0));
        var sizes = Enumerable.Range(0, Chunks).Select(_ => random.Next(1, 200)).ToList();
        var putting = Task.Run(async () =>
        {
            for (var index = 0; index < Chunks; index++)
                await queue.PutAsync(Make.Chunk(sizes[index], index + 1), Make.Never, default);
        });
        var taken = Task.Run(async () =>
        {
            var seen = new List<long>();
            while (seen.Count < Chunks)
            {
                Assert.InRange(queue.Bytes, 0, Math.Max(maxBytes, 199));
                if (!queue.TryTake(out var chunk))
                {
                    await queue.ChangedAsync();
                    continue;
                }
                seen.Add(chunk.ReadUpTo.Ordering);
                queue.Return(chunk.Bytes);
            }
            return seen;
        });
        Task.WhenAll(putting, taken).WithinAsync("all are taken").GetAwaiter().GetResult();
        Assert.Equal(Enumerable.Range(1, Chunks).Select(each => (long)each), taken.Result);
        Assert.Equal(0, queue.Bytes);
    });
}
