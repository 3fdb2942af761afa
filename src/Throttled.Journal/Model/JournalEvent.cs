namespace Throttled.Journal;

/// <summary>One event as it stands in the journal table; its payload is not decoded.</summary>
public sealed class JournalEvent
{
    private IReadOnlyList<string> _tags = [];
    private readonly int _serializerId;

    // Its complement where there is a serializer id. There are millions of events in memory, and what they hardly ever have must not
    // make each of them longer.
    private readonly int _omittedBytes;

    /// <summary>
    /// The number that the database gave the event, ascending over the whole journal with gaps. 0 on an event that is
    /// yet to be appended.
    /// </summary>
    public long Ordering { get; init; }

    /// <summary>The entity that persisted the event.</summary>
    public required string PersistenceId { get; init; }

    /// <summary>The event's number within its persistence id, from 1.</summary>
    public required long SequenceNumber { get; init; }

    /// <summary>
    /// When the event was persisted, in UTC ticks of 100 ns since year 1 (<see cref="DateTime.Ticks"/>), as stored. An
    /// event appended with 0 is stamped by the appender.
    /// </summary>
    public long Timestamp { get; init; }

    /// <summary>The serialized event; empty where it was not read, as <see cref="OmittedPayloadBytes"/> says.</summary>
    public required ReadOnlyMemory<byte> Payload { get; init; }

    /// <summary>
    /// How long the payload is in bytes that was not read, because it is above <see cref="JournalOptions.MaxPayloadBytes"/> and
    /// <see cref="JournalOptions.OnLargePayload"/> is <see cref="LargePayloadAction.OmitPayload"/>. From 0 to <see cref="int.MaxValue"/>; 0, the
    /// default, where the payload is there.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public int OmittedPayloadBytes
    {
        get => HasSerializerId ? ~_omittedBytes : _omittedBytes;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _omittedBytes = HasSerializerId ? ~value : value;
        }
    }

    /// <summary>The Akka.NET serializer that wrote the payload; null on rows older than serializer ids.</summary>
    public int? SerializerId
    {
        get => HasSerializerId ? _serializerId : null;
        init
        {
            _serializerId = value.GetValueOrDefault();
            if (value.HasValue != HasSerializerId)
                _omittedBytes = ~_omittedBytes;
        }
    }

    /// <summary>What the serializer needs to know to read the payload; empty where it needs nothing.</summary>
    public string Manifest { get; init; } = "";

    /// <summary>The event's tags, in no particular order; empty where it has none.</summary>
    public IReadOnlyList<string> Tags
    {
        get => _tags;
        init => _tags = value;
    }

    /// <summary>The event's place: persistence id, sequence number and ordering.</summary>
    public override string ToString() => $"{PersistenceId} {SequenceNumber} ({Ordering})";

    private bool HasSerializerId => _omittedBytes < 0;

    // A rough count for the byte budget: the object, its slot in a page and its payload. Exactness would cost more than
    // it is worth; what matters is that a megabyte counts as a megabyte.
    internal long Bytes => 128 + Payload.Length;

    // In tag-table mode the tags come by a second read, after the row.
    internal void Tag(IReadOnlyList<string> tags) => _tags = tags;
}
