namespace Throttled.Journal;

/// <summary>One event as it is stored in the journal table; its payload is not decoded.</summary>
public sealed class JournalEvent
{
    private IReadOnlyList<string> _tags = [];
    private readonly int _serializerId;

    // The complement of the value if there is a serializer id. Millions of events may be in memory, so rare values must not enlarge every event.
    private readonly int _omittedBytes;

    /// <summary>The number that the database assigned. It ascends over the whole journal, with gaps. 0 for an event that is not appended yet.</summary>
    public long Ordering { get; init; }

    /// <summary>The entity that persisted the event.</summary>
    public required string PersistenceId { get; init; }

    /// <summary>The event's number within its persistence id, from 1.</summary>
    public required long SequenceNumber { get; init; }

    /// <summary>
    /// When the event was persisted, in UTC ticks of 100 ns since year 1 (<see cref="DateTime.Ticks"/>), as stored. If it is 0, the appender sets the
    /// current time.
    /// </summary>
    public long Timestamp { get; init; }

    /// <summary>The serialized event; empty if it was not read (see <see cref="OmittedPayloadBytes"/>).</summary>
    public required ReadOnlyMemory<byte> Payload { get; init; }

    /// <summary>
    /// The length in bytes of a payload that was not read. This happens if the payload is above <see cref="JournalOptions.MaxPayloadBytes"/> and
    /// <see cref="JournalOptions.OnLargePayload"/> is <see cref="LargePayloadAction.OmitPayload"/>. From 0 to <see cref="int.MaxValue"/>; 0, the
    /// default, if the payload was read.
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

    /// <summary>The id of the Akka.NET serializer that wrote the payload; null on old rows that have no serializer id.</summary>
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

    /// <summary>What the serializer needs in addition to read the payload; empty if it needs nothing.</summary>
    public string Manifest { get; init; } = "";

    /// <summary>The event's tags, in no particular order; empty if it has none.</summary>
    public IReadOnlyList<string> Tags
    {
        get => _tags;
        init => _tags = value;
    }

    /// <summary>Persistence id, sequence number and ordering.</summary>
    public override string ToString() => $"{PersistenceId} {SequenceNumber} ({Ordering})";

    private bool HasSerializerId => _omittedBytes < 0;

    // A rough count for the byte budget: the object, its slot in a page and its payload. An exact count would cost more than it is worth. Only large
    // sizes must be about right.
    internal long Bytes => 128 + Payload.Length;

    // In tag-table mode, a second statement reads the tags after the row.
    internal void Tag(IReadOnlyList<string> tags) => _tags = tags;
}
