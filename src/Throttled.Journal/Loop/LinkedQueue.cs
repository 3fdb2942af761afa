namespace Throttled.Journal.Loop;

/// <summary>A queue, first come first served. Members hold the links: to enqueue or remove one needs no allocation and no search. Not thread-safe.</summary>
internal sealed class LinkedQueue<T>
    where T : class, ILinked<T>
{
    private T? _last;

    internal T? First { get; private set; }

    internal int Count { get; private set; }

    internal void Enqueue(T member)
    {
        Attach(member);
        member.Previous = _last;
        if (_last is null)
            First = member;
        else
            _last.Next = member;
        _last = member;
    }

    /// <summary>Inserts members in the given order, each before the first queued member that it precedes.</summary>
    internal void Insert(IReadOnlyList<T> members, Func<T, T, bool> precedes)
    {
        T? previous = null;
        foreach (var member in members)
        {
            for (var next = NextAfter(previous); next is not null && !precedes(member, next); next = next.Next)
                previous = next;
            InsertAfter(previous, member);
            previous = member;
        }
    }

    internal T? TakeFirst()
    {
        var first = First;
        if (first is not null)
            Remove(first);
        return first;
    }

    /// <summary>The members that match now. The result is a copy, so members can be removed while it is enumerated.</summary>
    internal IReadOnlyList<T> Where(Predicate<T> isTrue)
    {
        List<T> found = [];
        for (var member = First; member is not null; member = member.Next)
        {
            if (isTrue(member))
                found.Add(member);
        }
        return found;
    }

    /// <summary>Removes and returns members that match, in queue order: at most <paramref name="most"/> of the first <paramref name="among"/>.</summary>
    internal T[] Take(Predicate<T> isTrue, int most, int among)
    {
        List<T> taken = [];
        for (var (member, seen) = (First, 0); member is not null && seen < among && taken.Count < most; seen++)
        {
            var next = member.Next;
            if (isTrue(member))
            {
                Remove(member);
                taken.Add(member);
            }
            member = next;
        }
        return [.. taken];
    }

    /// <returns>Whether the member was in this queue.</returns>
    internal bool Remove(T member)
    {
        if (member.Queue != this)
            return false;
        if (member.Previous is null)
            First = member.Next;
        else
            member.Previous.Next = member.Next;
        if (member.Next is null)
            _last = member.Previous;
        else
            member.Next.Previous = member.Previous;
        (member.Queue, member.Previous, member.Next) = (null, null, null);
        Count--;
        return true;
    }

    private T? NextAfter(T? member) => member is null ? First : member.Next;

    private void InsertAfter(T? previous, T member)
    {
        Attach(member);
        (member.Previous, member.Next) = (previous, NextAfter(previous));
        if (member.Next is null)
            _last = member;
        else
            member.Next.Previous = member;
        if (previous is null)
            First = member;
        else
            previous.Next = member;
    }

    private void Attach(T member)
    {
        if (member.Queue is not null)
            throw new InvalidOperationException("A member can be in one queue at a time.");
        member.Queue = this;
        Count++;
    }
}

/// <summary>A member of at most one <see cref="LinkedQueue{T}"/> at a time. Only the queue changes the links.</summary>
internal interface ILinked<T>
    where T : class, ILinked<T>
{
    LinkedQueue<T>? Queue { get; set; }

    T? Previous { get; set; }

    T? Next { get; set; }
}
