namespace Throttled.Journal.Sqlite;

/// <summary>Remembers recent texts by their stored bytes, so that the same manifest in a million rows is one string. Not thread-safe.</summary>
internal sealed class TextMemo
{
    private const int Slots = 256;
    private const int Longest = 512;

    private readonly (byte[]? Stored, string Text)[] _slots = new (byte[]?, string)[Slots];

    /// <returns>The text of these bytes; null if it is not remembered.</returns>
    internal string? Find(ReadOnlySpan<byte> stored)
    {
        if (stored.IsEmpty)
            return "";
        ref var slot = ref _slots[SlotOf(stored)];
        return slot.Stored is not null && stored.SequenceEqual(slot.Stored) ? slot.Text : null;
    }

    /// <summary>Remembers a text in place of an older one.</summary>
    internal string Keep(byte[] stored, string text)
    {
        if (stored.Length <= Longest)
            _slots[SlotOf(stored)] = (stored, text);
        return text;
    }

    // Manifests begin alike and differ later, so the hash uses all bytes of the texts that are remembered.
    private static int SlotOf(ReadOnlySpan<byte> stored)
    {
        var hash = (uint)stored.Length;
        foreach (var each in stored[..Math.Min(stored.Length, Longest)])
            hash = (hash * 31) + each;
        return (int)((hash ^ (hash >> 15)) % Slots);
    }
}
