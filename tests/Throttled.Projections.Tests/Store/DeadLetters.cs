namespace Throttled.Projections.Tests.Store;

internal static class DeadLetters
{
    /// <summary>A dead letter whose ordering is its sequence number, unless told.</summary>
    internal static DeadLetter Of(string id, long number, string? error = "it failed", int attempts = 1, long? ordering = null) => new(
        new JournalEvent
        {
            PersistenceId = id,
            SequenceNumber = number,
            Ordering = ordering ?? number,
            Timestamp = 638_000_000_000_000_000 + number,
            Payload = new byte[] { 1, 2, (byte)number },
            SerializerId = 7,
            Manifest = "some-manifest",
            Tags = ["red", "blue"],
        },
        error,
        attempts);
}
