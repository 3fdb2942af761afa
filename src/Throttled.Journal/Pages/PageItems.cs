using System.Buffers;

namespace Throttled.Journal.Pages;

/// <summary>
/// Gathers the items of one page after the other. A page gets an array of its own, just as long as it is: arrays that grow would
/// end among the large objects, which only the most expensive collections clear.
/// </summary>
internal sealed class PageItems<T>
    where T : class
{
    private const int FirstLength = 128;

    private T[] _items = ArrayPool<T>.Shared.Rent(FirstLength);
    private long _bytes;

    internal int Count { get; private set; }

    internal T this[int index] => _items[index];

    internal void Add(T item, long bytes)
    {
        if (Count == _items.Length)
            Grow();
        _items[Count++] = item;
        _bytes += bytes;
    }

    /// <summary>The page, and the start of the next; null where nothing was added.</summary>
    internal Page<T>? Take()
    {
        if (Count == 0)
            return null;
        var page = new Page<T>(_items.AsSpan(0, Count).ToArray(), _bytes);
        Clear();
        return page;
    }

    /// <summary>Gives the memory back; nothing is added any more.</summary>
    internal void Release()
    {
        Clear();
        ArrayPool<T>.Shared.Return(_items);
        _items = [];
    }

    private void Clear()
    {
        _items.AsSpan(0, Count).Clear();
        (Count, _bytes) = (0, 0);
    }

    private void Grow()
    {
        var longer = ArrayPool<T>.Shared.Rent(_items.Length * 2);
        _items.CopyTo(longer, 0);
        ArrayPool<T>.Shared.Return(_items, clearArray: true);
        _items = longer;
    }
}
