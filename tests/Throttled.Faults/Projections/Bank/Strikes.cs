namespace Throttled.Faults.Projections.Bank;

/// <summary>
/// Faults of a bank's database at given numbers of events. Transactions are always open then, because all lanes keep theirs open until the fault
/// has happened.
/// </summary>
/// <param name="at">The numbers of events.</param>
/// <param name="strike">The fault.</param>
internal sealed class Strikes(IEnumerable<int> at, Func<Task> strike)
{
    private readonly Queue<int> _at = new(at.Order());
    private readonly Lock _lock = new();
    private Task _current = Task.CompletedTask;
    private int _count;

    internal static Strikes None { get; } = new([], () => Task.CompletedTask);

    internal int Count => Volatile.Read(ref _count);

    /// <summary>Faults at random numbers of events.</summary>
    internal static Strikes Of(int count, BankOfTest bank, Func<Task> strike) =>
        new(Enumerable.Range(0, count).Select(_ => bank.Random.Next(1, bank.Events * 9 / 10)), strike);

    // The fault goes on even if it breaks the connection of the waiting transaction.
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
