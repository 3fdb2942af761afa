namespace Throttled.Projections.Failures;

/// <summary>The persistence ids of a lane that have dead letters. Not thread-safe, except for <see cref="Count"/>.</summary>
internal sealed class DeadLetterIds(IEnumerable<string> ids, int count, int limit)
{
    private readonly HashSet<string> _ids = new(ids, StringComparer.Ordinal);
    private int _count = count;

    internal int Count => Volatile.Read(ref _count);

    internal int Room => Math.Max(0, limit - _count);

    internal bool Contains(string id) => _ids.Contains(id);

    /// <summary>Whether the stored ids and count are these ids plus the added dead letters.</summary>
    internal bool AreWith(IReadOnlyList<DeadLetter> added, IReadOnlyCollection<string> ids, int count) =>
        count == _count + added.Count && _ids.Union(added.Select(deadLetter => deadLetter.Event.PersistenceId)).ToHashSet(StringComparer.Ordinal).SetEquals(ids);

    internal void Add(IReadOnlyList<DeadLetter> deadLetters)
    {
        foreach (var deadLetter in deadLetters)
            _ids.Add(deadLetter.Event.PersistenceId);
        Volatile.Write(ref _count, _count + deadLetters.Count);
    }

    internal void Remove(string id, int deadLetters, bool areAll)
    {
        if (areAll)
            _ids.Remove(id);
        Volatile.Write(ref _count, _count - deadLetters);
    }
}
