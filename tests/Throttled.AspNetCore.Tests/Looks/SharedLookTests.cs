using Microsoft.Extensions.DependencyInjection;
using Throttled.AspNetCore.Looks;
using Throttled.Testing.Scripted;

namespace Throttled.AspNetCore.Tests.Looks;

/// <summary>One look a second for all viewers, and none while nobody looks.</summary>
public sealed class SharedLookTests : IDisposable
{
    private const int Viewers = 50;

    private readonly FakeClock _clock = new();
    private readonly CancellationTokenSource _left = new();
    private int _looks;
    private int _seen;

    [Fact]
    public async Task Many_viewers_share_one_look_a_second()
    {
        var look = Look();
        var viewers = Enumerable.Range(0, Viewers).Select(_ => ViewAsync(look)).ToList();
        for (var second = 1; second <= 5; second++)
        {
            await SeenAsync(second, Viewers);
            Assert.Equal(second, _looks);
            _clock.Advance(TimeSpan.FromSeconds(1));
        }
        await SeenAsync(6, Viewers);
        await _left.CancelAsync();
        await Task.WhenAll(viewers).WithinAsync("the viewers' end");
    }

    [Fact]
    public async Task Nobody_looks_when_all_viewers_have_left()
    {
        var look = Look();
        var viewer = ViewAsync(look);
        await SeenAsync(1, 1);
        await _left.CancelAsync();
        await viewer.WithinAsync("the viewer's end");
        _clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal((1, 0), (_looks, _clock.Set));
    }

    [Fact]
    public async Task A_status_within_a_second_is_the_look_of_the_viewers()
    {
        var look = Look();
        Assert.Equal(1, await look.CurrentAsync());
        _clock.Advance(TimeSpan.FromMilliseconds(999));
        Assert.Equal(1, await look.CurrentAsync());
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(2, await look.CurrentAsync());
    }

    [Fact]
    public async Task Those_who_ask_during_a_look_get_it()
    {
        var taken = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        var look = new SharedLook<int>(
            () =>
            {
                _looks++;
                return taken.Task;
            },
            _clock);
        var first = look.CurrentAsync();
        _clock.Advance(TimeSpan.FromSeconds(5));
        Assert.Same(first, look.CurrentAsync());
        taken.SetResult(1);
        await first;
        Assert.Equal(1, _looks);
    }

    [Fact]
    public async Task The_meters_are_listened_to_only_while_somebody_looks()
    {
        using var services = new ServiceCollection().BuildServiceProvider();
        var look = new StatusLook(new("", "", false), new(services, _clock), _clock);
        Assert.False(look.IsListening);
        await look.TakeAsync();
        _clock.Advance(TimeSpan.FromSeconds(9));
        await look.TakeAsync();
        _clock.Advance(TimeSpan.FromSeconds(9));
        Assert.True(look.IsListening);
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.False(look.IsListening);
    }

    public void Dispose() => _left.Dispose();

    private SharedLook<int> Look() => new(() => Task.FromResult(Interlocked.Increment(ref _looks)), _clock);

    private async Task ViewAsync(SharedLook<int> look)
    {
        try
        {
            await foreach (var _ in look.FollowAsync(_left.Token))
                Interlocked.Increment(ref _seen);
        }
        catch (OperationCanceledException)
        {
        }
    }

    // Each viewer has the look, and waits for the next.
    private Task SeenAsync(int looks, int viewers) =>
        Wait.UntilAsync(() => Volatile.Read(ref _seen) == looks * viewers && _clock.Set == viewers, () => $"{looks} looks of {viewers} viewers; {_seen} were seen");
}
