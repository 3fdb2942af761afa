namespace Throttled.Journal.Pages;

/// <summary>Requests that share one statement, and again its repetitions. On the loop.</summary>
internal sealed class PageBatch
{
    private readonly PageRequest?[] _members;

    /// <param name="members">Who takes part, at least one; each is notified that this is its batch.</param>
    /// <param name="limit">Rows for each member at most, where a time-out made it less than the member requests.</param>
    internal PageBatch(PageRequest[] members, int limit = int.MaxValue)
    {
        _members = members;
        Limit = limit;
        Count = members.Length;
        foreach (var member in members)
            member.Batch = this;
    }

    /// <summary>Members that were not removed.</summary>
    internal int Count { get; private set; }

    internal int Limit { get; }

    /// <summary>How often it failed so far.</summary>
    internal int Failures { get; set; }

    /// <summary>Since when it fails in a way that repeating does not cure; null where it does not.</summary>
    internal TimeSpan? FatalSince { get; set; }

    /// <summary>The statement that runs for it; null while none does.</summary>
    internal BatchRun? Run { get; set; }

    internal PageRequest? this[int index] => _members[index];

    internal int Size => _members.Length;

    /// <summary>Those that were not removed, in order.</summary>
    internal IEnumerable<PageRequest> Members => _members.OfType<PageRequest>();

    internal void Remove(PageRequest member)
    {
        _members[Array.IndexOf(_members, member)] = null;
        member.Batch = null;
        Count--;
    }

    /// <summary>Lets the members go, those that were not removed, in order; the batch is empty then.</summary>
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
