using System.Buffers;

namespace Throttled.Journal.Rows;

/// <summary>Consecutive items of a query for its reader. Queries that read the same items share them.</summary>
/// <param name="items">The items; at least one.</param>
/// <param name="bytes">Their bytes in the byte budget.</param>
internal sealed class Page<T>(T[] items, long bytes)
    where T : class
{
    private T? _first = items[0];
    private T[] _items = items;

    internal int Count { get; } = items.Length;

    internal long Bytes => bytes;

    /// <summary>Whether the query ends after this page. Set before the reader gets the page; if that becomes known later, set by the reader.</summary>
    internal bool EndsQuery { get; set; }

    /// <summary>
    /// The item at an index. Null if the page was reclaimed; the reader then requests the rest again. May be called while <see cref="Reclaim"/> runs
    /// on another thread.
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
    /// The first item. It is kept when the page is reclaimed, so each delivered page advances its reader by at least one item. The reader calls this
    /// once; after that, the page does not keep the first item longer than the others.
    /// </summary>
    internal T TakeFirst()
    {
        var first = _first!;
        _first = null;
        return first;
    }

    /// <summary>A page with the same items for another reader. Each page is reclaimed separately.</summary>
    internal Page<T> Share() => new(_items, bytes);

    /// <summary>Drops the items, so their memory can be used for readers that are not idle.</summary>
    internal void Reclaim() => Volatile.Write(ref _items, []);
}

/// <summary>
/// Builds one page after another. Each page gets an array of exact length. Arrays that grow would end up on the large object heap, which only
/// expensive garbage collections clear.
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

    /// <summary>Returns the page and begins the next one; null if nothing was added.</summary>
    internal Page<T>? Take()
    {
        if (Count == 0)
            return null;
        var page = new Page<T>(_items.AsSpan(0, Count).ToArray(), _bytes);
        Clear();
        return page;
    }

    /// <summary>Returns the rented array. Nothing can be added afterwards.</summary>
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
