using Microsoft.Extensions.DependencyInjection;
using Throttled.AspNetCore.Status;
using Throttled.Testing.Scripted;

namespace Throttled.AspNetCore.Tests.Status;

/// <summary>One read a second for all viewers, and none while there are no viewers.</summary>
public sealed class SharedSnapshotTests : IDisposable
{
    private const int Viewers = 50;

    private readonly FakeClock _clock = new();
    private readonly CancellationTokenSource _left = new();
    private int _reads;
    private int _seen;

    [Fact]
    public async Task Many_viewers_share_one_read_a_second()
    {
        var snapshot = Snapshot();
        var viewers = Enumerable.Range(0, Viewers).Select(_ => ViewAsync(snapshot)).ToList();
        for (var second = 1; second <= 5; second++)
        {
            await SeenAsync(second, Viewers);
            Assert.Equal(second, _reads);
            _clock.Advance(TimeSpan.FromSeconds(1));
        }
        await SeenAsync(6, Viewers);
        await _left.CancelAsync();
        await Task.WhenAll(viewers).WithinAsync("the viewers' end");
    }

    [Fact]
    public async Task Nothing_is_read_when_all_viewers_have_left()
    {
        var snapshot = Snapshot();
        var viewer = ViewAsync(snapshot);
        await SeenAsync(1, 1);
        await _left.CancelAsync();
        await viewer.WithinAsync("the viewer's end");
        _clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal((1, 0), (_reads, _clock.Set));
    }

    [Fact]
    public async Task A_status_within_a_second_is_the_snapshot_of_the_viewers()
    {
        var snapshot = Snapshot();
        Assert.Equal(1, await snapshot.CurrentAsync());
        _clock.Advance(TimeSpan.FromMilliseconds(999));
        Assert.Equal(1, await snapshot.CurrentAsync());
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(2, await snapshot.CurrentAsync());
    }

    [Fact]
    public async Task Those_who_ask_during_a_read_get_its_result()
    {
        var taken = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        var snapshot = new SharedSnapshot<int>(
            () =>
            {
                _reads++;
                return taken.Task;
            },
            _clock);
        var first = snapshot.CurrentAsync();
        _clock.Advance(TimeSpan.FromSeconds(5));
        Assert.Same(first, snapshot.CurrentAsync());
        taken.SetResult(1);
        await first;
        Assert.Equal(1, _reads);
    }

    [Fact]
    public async Task The_meters_are_listened_to_only_while_there_are_viewers()
    {
        using var services = new ServiceCollection().BuildServiceProvider();
        var reader = new StatusReader(new("", "", false), new(services, _clock), _clock);
        Assert.False(reader.IsListening);
        await reader.TakeAsync();
        _clock.Advance(TimeSpan.FromSeconds(9));
        await reader.TakeAsync();
        _clock.Advance(TimeSpan.FromSeconds(9));
        Assert.True(reader.IsListening);
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.False(reader.IsListening);
    }

    public void Dispose() => _left.Dispose();

    private SharedSnapshot<int> Snapshot() => new(() => Task.FromResult(Interlocked.Increment(ref _reads)), _clock);

    private async Task ViewAsync(SharedSnapshot<int> snapshot)
    {
        try
        {
            await foreach (var _ in snapshot.FollowAsync(_left.Token))
                Interlocked.Increment(ref _seen);
        }
        catch (OperationCanceledException)
        {
        }
    }

    // Each viewer has the snapshot, and waits for the next.
    private Task SeenAsync(int reads, int viewers) =>
        Wait.UntilAsync(() => Volatile.Read(ref _seen) == reads * viewers && _clock.Set == viewers, () => $"{reads} reads of {viewers} viewers; {_seen} were seen");
}
