using Throttled.Journal;

namespace Throttled.Projections;

/// <summary>An event that is kept because it failed, or because one of its persistence id before it did.</summary>
/// <param name="Event">The event as the journal had it.</param>
/// <param name="Error">What it failed with last; null where it only queues behind one that failed.</param>
/// <param name="Attempts">How often it was tried; 0 where it only queues.</param>
/// <param name="DeadLetteredAt">Since when it is kept, by the read model database's clock, in UTC.</param>
/// <param name="TriedAt">When it was tried last, by the same clock; null where it only queues.</param>
public sealed record DeadLetter(JournalEvent Event, string? Error, int Attempts, DateTimeOffset DeadLetteredAt, DateTimeOffset? TriedAt);

/// <summary>An event that is kept because it failed, or because one of its persistence id before it did.</summary>
/// <param name="Stored">The event as the journal had it.</param>
/// <param name="Error">What it failed with; null where it only queues behind one that failed.</param>
/// <param name="Attempts">How often it was tried; 0 where it only queues.</param>
internal sealed record DeadLetterRow(JournalEvent Stored, string? Error, int Attempts);
