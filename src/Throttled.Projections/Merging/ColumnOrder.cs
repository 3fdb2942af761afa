namespace Throttled.Projections.Merging;

/// <summary>An order of keys that depends on no culture.</summary>
internal static class ColumnOrder
{
    internal static IComparer<T> Of<T>() =>
        typeof(T) == typeof(string) ? (IComparer<T>)StringComparer.Ordinal
        : typeof(T) == typeof(byte[]) ? (IComparer<T>)Comparer<byte[]?>.Create((left, right) => left.AsSpan().SequenceCompareTo(right))
        : Comparer<T>.Default;
}
