using Throttled.Journal;

namespace Throttled.Projections.Failures;

/// <summary>An event that is kept because it failed, or because one of its persistence id before it did.</summary>
/// <param name="Stored">The event as the journal had it.</param>
/// <param name="Error">What it failed with; null where it only queues behind one that failed.</param>
/// <param name="Attempts">How often it was tried; 0 where it only queues.</param>
internal sealed record DeadLetterRow(JournalEvent Stored, string? Error, int Attempts);
