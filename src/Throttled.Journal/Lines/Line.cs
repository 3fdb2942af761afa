namespace Throttled.Journal.Lines;

/// <summary>
/// A queue, first come first served. The links are in the members themselves, so that enqueuing and removing from the
/// middle cost no memory and no search. Not thread-safe.
/// </summary>
internal sealed class Line<T>
    where T : class, ILineMember<T>
{
    private T? _last;

    internal T? First { get; private set; }

    internal int Count { get; private set; }

    internal void Join(T member)
    {
        Enter(member);
        member.Before = _last;
        if (_last is null)
            First = member;
        else
            _last.Behind = member;
        _last = member;
    }

    /// <summary>Members, in their order, each in front of the first that it precedes.</summary>
    internal void Insert(IReadOnlyList<T> members, Func<T, T, bool> precedes)
    {
        T? before = null;
        foreach (var member in members)
        {
            for (var next = Behind(before); next is not null && !precedes(member, next); next = next.Behind)
                before = next;
            JoinBehind(before, member);
            before = member;
        }
    }

    internal T? TakeFirst()
    {
        var first = First;
        if (first is not null)
            Leave(first);
        return first;
    }

    /// <summary>Those of whom something is true, as the queue is now: they may be removed while one goes through them.</summary>
    internal IReadOnlyList<T> Where(Predicate<T> isTrue)
    {
        List<T> found = [];
        for (var member = First; member is not null; member = member.Behind)
        {
            if (isTrue(member))
                found.Add(member);
        }
        return found;
    }

    /// <summary>Takes those of whom something is true out of the queue, the first ones first.</summary>
    /// <param name="isTrue">What.</param>
    /// <param name="most">How many at most.</param>
    /// <param name="among">Among how many of the first.</param>
    internal T[] Take(Predicate<T> isTrue, int most, int among)
    {
        List<T> taken = [];
        for (var (member, seen) = (First, 0); member is not null && seen < among && taken.Count < most; seen++)
        {
            var next = member.Behind;
            if (isTrue(member))
            {
                Leave(member);
                taken.Add(member);
            }
            member = next;
        }
        return [.. taken];
    }

    /// <returns>Whether the member stood in this queue.</returns>
    internal bool Leave(T member)
    {
        if (member.Line != this)
            return false;
        if (member.Before is null)
            First = member.Behind;
        else
            member.Before.Behind = member.Behind;
        if (member.Behind is null)
            _last = member.Before;
        else
            member.Behind.Before = member.Before;
        (member.Line, member.Before, member.Behind) = (null, null, null);
        Count--;
        return true;
    }

    private T? Behind(T? member) => member is null ? First : member.Behind;

    private void JoinBehind(T? before, T member)
    {
        Enter(member);
        (member.Before, member.Behind) = (before, Behind(before));
        if (member.Behind is null)
            _last = member;
        else
            member.Behind.Before = member;
        if (before is null)
            First = member;
        else
            before.Behind = member;
    }

    private void Enter(T member)
    {
        if (member.Line is not null)
            throw new InvalidOperationException("A member can wait in one line at a time.");
        member.Line = this;
        Count++;
    }
}
