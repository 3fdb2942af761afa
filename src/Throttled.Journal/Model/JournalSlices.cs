using System.Buffers;
using System.Text;

namespace Throttled.Journal;

/// <summary>
/// Each persistence id is in one of 1,024 slices; projections and shards divide their work by slices. The slice is the absolute value of the
/// remainder of Java's <c>String.hashCode</c> divided by 1,024, as in Akka.
/// </summary>
// https://github.com/akka/akka/blob/v2.6.21/akka-persistence/src/main/scala/akka/persistence/Persistence.scala (sliceForPersistenceId)
public static class JournalSlices
{
    /// <summary>The number of slices. They are numbered from 0.</summary>
    public const int Count = 1024;

    /// <summary>The slice of a persistence id, from 0 to 1,023.</summary>
    /// <param name="persistenceId">The id.</param>
    /// <exception cref="ArgumentNullException">The id is null.</exception>
    public static int Of(string persistenceId)
    {
        ArgumentNullException.ThrowIfNull(persistenceId);
        return Of(persistenceId.AsSpan());
    }

    internal static int OfUtf8(ReadOnlySpan<byte> persistenceId)
    {
        // A UTF-8 byte becomes at most one UTF-16 unit.
        var rented = persistenceId.Length <= 512 ? null : ArrayPool<char>.Shared.Rent(persistenceId.Length);
        var units = rented ?? stackalloc char[512];
        var slice = Of(units[..Encoding.UTF8.GetChars(persistenceId, units)]);
        if (rented is not null)
            ArrayPool<char>.Shared.Return(rented);
        return slice;
    }

    private static int Of(ReadOnlySpan<char> persistenceId)
    {
        var hash = 0;
        // https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/String.html#hashCode()
        foreach (var unit in persistenceId)
            hash = unchecked((31 * hash) + unit);
        return Math.Abs(hash % Count);
    }
}

/// <summary>A range of slices, both ends included.</summary>
internal readonly record struct SliceRange(int First, int Last)
{
    internal static SliceRange All { get; } = new(0, JournalSlices.Count - 1);

    internal int Count => Last - First + 1;

    internal bool Contains(int slice) => First <= slice && slice <= Last;

    public override string ToString() => FormattableString.Invariant($"{First}-{Last}");
}
