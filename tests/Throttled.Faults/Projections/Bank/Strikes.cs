namespace Throttled.Faults.Projections.Bank;

/// <summary>
/// What happens to a bank's database whenever the handler was given so many events: always when transactions are open, because all lanes wait with
/// theirs until it has happened.
/// </summary>
/// <param name="at">After how many events each.</param>
/// <param name="strike">What happens.</param>
internal sealed class Strikes(IEnumerable<int> at, Func<Task> strike)
{
    private readonly Queue<int> _at = new(at.Order());
    private readonly Lock _lock = new();
    private Task _current = Task.CompletedTask;
    private int _count;

    internal static Strikes None { get; } = new([], () => Task.CompletedTask);

    internal int Count => Volatile.Read(ref _count);

    /// <summary>Some at random.</summary>
    internal static Strikes Of(int count, BankOfTest bank, Func<Task> strike) =>
        new(Enumerable.Range(0, count).Select(_ => bank.Random.Next(1, bank.Events * 9 / 10)), strike);

    // That it waits outlives the connection that it waits with.
    internal Task PassedAsync(int given, CancellationToken cancellation)
    {
        lock (_lock)
        {
            if (_current.IsCompleted && _at.TryPeek(out var next) && given >= next)
            {
                _at.Dequeue();
                _current = Task.Run(StrikeAsync, CancellationToken.None);
            }
            return _current.WaitAsync(cancellation);
        }
    }

    private async Task StrikeAsync()
    {
        await strike();
        Interlocked.Increment(ref _count);
    }
}
