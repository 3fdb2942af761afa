using Microsoft.Data.Sqlite;
using Throttled.Projections.Waits;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Waits;

public sealed class StoredWaitTests
{
    private readonly FakeClock _clock = new();
    private int _calls;

    [Fact]
    public async Task A_transient_fault_of_the_database_does_not_end_the_wait()
    {
        var wait = UntilAsync(() => ++_calls < 3 ? throw new SqliteException("database is locked", 5) : Task.FromResult(true));
        await Wait.UntilAsync(
            () =>
            {
                _clock.Advance(TimeSpan.FromMilliseconds(100));
                return wait.IsCompleted;
            },
            () => "the wait ends");
        await wait;
        Assert.Equal(3, _calls);
    }

    [Fact]
    public async Task Another_error_ends_the_wait() =>
        Assert.Equal(1, (await Assert.ThrowsAsync<SqliteException>(() => UntilAsync(() => throw new SqliteException("no such table", 1)))).SqliteErrorCode);

    // Drivers differ in what they throw when a call is cancelled.
    [Fact]
    public async Task An_error_after_the_cancellation_says_what_is_stored()
    {
        using var cancellation = new CancellationTokenSource();
        var error = await Assert.ThrowsAsync<StoredCommandException>(() => UntilAsync(
            () =>
            {
                cancellation.Cancel();
                throw new InvalidOperationException("The connection is broken.");
            },
            cancellation.Token));
        Assert.Equal("It is stored.", error.Message);
    }

    private Task UntilAsync(Func<Task<bool>> isOver, CancellationToken cancellation = default) =>
        new StoredWait(_clock, null).UntilAsync(isOver, () => "", () => "It is stored.", cancellation);
}
