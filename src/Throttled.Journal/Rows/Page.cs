using System.Buffers;

namespace Throttled.Journal.Rows;

/// <summary>Consecutive items of a query, on their way to its reader. Queries that read the same share the items.</summary>
/// <param name="items">The items.</param>
/// <param name="bytes">What they count in the byte budget.</param>
internal sealed class Page<T>(T[] items, long bytes)
    where T : class
{
    private T? _first = items[0];
    private T[] _items = items;

    internal int Count { get; } = items.Length;

    internal long Bytes => bytes;

    /// <summary>Whether the query is at its end behind this page. Set before the reader has it, or by the reader where that was learnt later.</summary>
    internal bool EndsQuery { get; set; }

    /// <summary>
    /// The item at an index; null where the page was reclaimed, in which case the reader requests again from where it is.
    /// May be called while <see cref="Reclaim"/> runs on another thread.
    /// </summary>
    internal T? this[int index]
    {
        get
        {
            var now = Volatile.Read(ref _items);
            return index < now.Length ? now[index] : null;
        }
    }

    /// <summary>
    /// The first item, which is not reclaimed with the others while the page waits: whoever is given it comes on by one. Once, by its reader; from then
    /// on the page keeps it no longer than the others.
    /// </summary>
    internal T TakeFirst()
    {
        var first = _first!;
        _first = null;
        return first;
    }

    /// <summary>A page of the same items for another reader; each is reclaimed by itself.</summary>
    internal Page<T> Share() => new(_items, bytes);

    /// <summary>Drops the items, so that their memory can serve a reader that is not idle.</summary>
    internal void Reclaim() => Volatile.Write(ref _items, []);
}

/// <summary>
/// Gathers the items of one page after the other. A page gets an array of its own, just as long as it is: arrays that grow would
/// end among the large objects, which only the most expensive collections clear.
/// </summary>
internal sealed class PageBuilder<T>
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
