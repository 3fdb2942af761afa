using System.Text;

namespace Throttled.Journal.Sqlite;

/// <summary>Remembers texts read lately, so that a manifest that stands in a million rows is one string. Not thread-safe.</summary>
internal sealed class TextMemo
{
    private const int Slots = 256;
    private const int Longest = 512;

    private readonly (byte[] Utf8, string Text)[] _slots = new (byte[], string)[Slots];

    internal string Find(ReadOnlySpan<byte> utf8)
    {
        if (utf8.IsEmpty)
            return "";
        if (utf8.Length > Longest)
            return Encoding.UTF8.GetString(utf8);
        ref var slot = ref _slots[SlotOf(utf8)];
        if (slot.Utf8 is null || !utf8.SequenceEqual(slot.Utf8))
            slot = (utf8.ToArray(), Encoding.UTF8.GetString(utf8));
        return slot.Text;
    }

    // Manifests begin alike and differ in length and at some place behind; looking at all of it is cheaper than a string.
    private static int SlotOf(ReadOnlySpan<byte> utf8)
    {
        var hash = (uint)utf8.Length;
        foreach (var b in utf8)
            hash = (hash * 31) + b;
        return (int)((hash ^ (hash >> 15)) % Slots);
    }
}
