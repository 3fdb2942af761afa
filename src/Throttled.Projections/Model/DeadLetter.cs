namespace Throttled.Projections;

/// <summary>An event that is kept because it failed, or because an earlier event of its persistence id failed.</summary>
/// <param name="Event">The event as it is in the journal.</param>
/// <param name="Error">The last error; null if the event only queues behind a failed one.</param>
/// <param name="Attempts">How often the event was tried; 0 if it only queues.</param>
/// <param name="DeadLetteredAt">When the event was stored as a dead letter, by the read model database's clock, in UTC.</param>
/// <param name="TriedAt">When the event was last tried, by the same clock; null if it only queues.</param>
public sealed record DeadLetter(JournalEvent Event, string? Error, int Attempts, DateTimeOffset DeadLetteredAt, DateTimeOffset? TriedAt)
{
    // The table sets the times when it is stored.
    internal DeadLetter(JournalEvent @event, string? error, int attempts)
        : this(@event, error, attempts, default, null)
    {
    }
}
