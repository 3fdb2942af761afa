namespace Throttled.Journal.Pages;

/// <summary>Requests that share one statement and its retries. On the loop.</summary>
internal sealed class PageBatch
{
    private readonly PageRequest?[] _members;

    /// <param name="members">The members, at least one. Sets their <see cref="PageRequest.Batch"/>.</param>
    /// <param name="limit">The most rows for each member, if a time-out made it lower than requested.</param>
    internal PageBatch(PageRequest[] members, int limit = int.MaxValue)
    {
        _members = members;
        Limit = limit;
        Count = members.Length;
        foreach (var member in members)
            member.Batch = this;
    }

    /// <summary>The number of members that were not removed.</summary>
    internal int Count { get; private set; }

    internal int Limit { get; }

    internal int Failures { get; set; }

    /// <summary>When a permanent error first occurred; null if there was none.</summary>
    internal TimeSpan? FatalSince { get; set; }

    internal BatchRun? Run { get; set; }

    internal PageRequest? this[int index] => _members[index];

    internal int Size => _members.Length;

    /// <summary>The members that were not removed, in order.</summary>
    internal IEnumerable<PageRequest> Members => _members.OfType<PageRequest>();

    internal void Remove(PageRequest member)
    {
        _members[Array.IndexOf(_members, member)] = null;
        member.Batch = null;
        Count--;
    }

    /// <summary>Removes and returns the remaining members, in order.</summary>
    internal PageRequest[] Dissolve()
    {
        var rest = new PageRequest[Count];
        var count = 0;
        for (var i = 0; i < _members.Length; i++)
        {
            if (_members[i] is not { } member)
                continue;
            member.Batch = null;
            _members[i] = null;
            rest[count++] = member;
        }
        Count = 0;
        return rest;
    }
}
