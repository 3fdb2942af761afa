using System.Data.Common;
using System.Globalization;
using System.Text;

namespace Throttled.Journal.PostgreSql;

/// <summary>Which serializer and manifest decode a row's payload.</summary>
/// <param name="SerializerId">The serializer's id; null if the row has none.</param>
/// <param name="Manifest">The manifest; empty if the row has none.</param>
internal sealed record EventType(int? SerializerId, string Manifest)
{
    /// <summary>The column's text for a deleted event.</summary>
    internal const string Deleted = "-";

    /// <summary>Stands between serializer id and manifest in the column's text.</summary>
    internal const string Separator = ":";

    internal bool IsDeleted { get; private init; }

    internal static EventType Parse(ReadOnlySpan<byte> utf8)
    {
        var text = Encoding.UTF8.GetString(utf8);
        if (text == Deleted)
            return new(null, "") { IsDeleted = true };
        var end = text.IndexOf(Separator, StringComparison.Ordinal);
        return new(end == 0 ? null : int.Parse(text.AsSpan(0, end), CultureInfo.InvariantCulture), text[(end + Separator.Length)..]);
    }
}

/// <summary>
/// The event types of a journal. A statement names one of them, and rows of this type have NULL in place of it: for most rows, one empty column
/// is transferred and read instead of three. All events of a type share one manifest string.
/// </summary>
internal sealed class EventTypes
{
    // They are searched in turn.
    private const int MaxKnown = 32;

    private volatile Known[] _known = [];
    private volatile EventType _latest = new(0, "");

    /// <summary>The last type that a row had as text. A statement names it, because the next rows probably have it too.</summary>
    internal EventType Latest => _latest;

    /// <summary>Creates the reader of a statement's rows.</summary>
    /// <param name="named">The type that the statement names.</param>
    internal Reader NewReader(EventType named) => new(this, named);

    private Known Find(ReadOnlySpan<byte> utf8)
    {
        foreach (var known in _known)
        {
            if (known.IsFor(utf8))
                return known;
        }
        var found = new Known(utf8.ToArray(), EventType.Parse(utf8));
        var before = _known;
        // Another statement may add a type at the same time. Then one of the two is added when a row has it again.
        if (before.Length < MaxKnown)
            _known = [.. before, found];
        return found;
    }

    private void Remember(EventType type)
    {
        if (type.SerializerId is not null)
            _latest = type;
    }

    private sealed record Known(byte[] Utf8, EventType Type)
    {
        internal bool IsFor(ReadOnlySpan<byte> utf8) => utf8.SequenceEqual(Utf8);
    }

    /// <summary>Reads the types of one statement's rows.</summary>
    internal sealed class Reader(EventTypes types, EventType named)
    {
        private readonly byte[] _read = new byte[256];
        private Known? _last;

        internal EventType Read(DbDataReader row, int column)
        {
            if (row.IsDBNull(column))
                return named;
            var read = RepeatedUtf8.Bytes(row, column, _read);
            if (_last?.IsFor(read) != true)
            {
                _last = types.Find(read);
                types.Remember(_last.Type);
            }
            return _last.Type;
        }
    }
}
