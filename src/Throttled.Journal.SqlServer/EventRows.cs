using System.Runtime.InteropServices;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// Events as rows of <see cref="SqlServerStaging.Events"/>: number from 1, persistence id, sequence number, timestamp, payload,
/// serializer id, manifest; then tags in <see cref="TagMode.Csv"/>.
/// </summary>
/// <param name="events">The events, in order.</param>
/// <param name="tables">How tags are stored.</param>
/// <param name="now">The timestamp for events that have none.</param>
internal sealed class EventRows(IReadOnlyCollection<JournalEvent> events, JournalTables tables, long now) : BulkRows
{
    private readonly IEnumerator<JournalEvent> _events = events.GetEnumerator();
    private long _number;

    // Consecutive events mostly have one serializer. The driver takes objects, so the boxed value is used again.
    private object _serializer = DBNull.Value;

    public override int FieldCount => tables.TagMode == TagMode.Csv ? 8 : 7;

    public override bool Read()
    {
        _number++;
        return _events.MoveNext();
    }

    public override object GetValue(int ordinal) => ordinal switch
    {
        0 => _number,
        1 => _events.Current.PersistenceId,
        2 => _events.Current.SequenceNumber,
        3 => _events.Current.Timestamp == 0 ? now : _events.Current.Timestamp,
        4 => Array(_events.Current.Payload),
        5 => Serializer(_events.Current.SerializerId),
        6 => _events.Current.Manifest,
        7 => CsvTags.Format(_events.Current.Tags, tables.TagSeparator),
        _ => throw new ArgumentOutOfRangeException(nameof(ordinal)),
    };

    private object Serializer(int? id)
    {
        if (id != _serializer as int?)
            _serializer = id is { } some ? some : DBNull.Value;
        return _serializer;
    }

    // Returns the array itself if the payload fills it.
    private static byte[] Array(ReadOnlyMemory<byte> payload) =>
        MemoryMarshal.TryGetArray(payload, out var segment) && segment.Array is { } array && array.Length == segment.Count ? array : payload.ToArray();
}
