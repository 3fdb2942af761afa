namespace Throttled.Journal.Rows;

/// <summary>
/// The persistence ids of one statement, each once, in the order of the database. The database adds them as they arrive, until there are no more or
/// <see cref="Add"/> returns false. Used by one thread at a time.
/// </summary>
internal sealed class IdsRows(string? after, int limit, ByteBudget budget) : BatchRows
{
    private readonly InFlightBytes _bytes = new(budget);
    private readonly PageBuilder<string> _ids = new();
    private string? _last;
    private int _rows;
    private bool _isFull;

    /// <summary>The statement reads the ids after this one; null to begin with the first.</summary>
    internal string? After => after;

    /// <summary>The most ids to read; the database may also stop there by itself.</summary>
    internal int Limit => limit;

    /// <summary>The result; valid after <see cref="Complete"/>.</summary>
    internal IdsResult Result { get; private set; }

    /// <param name="persistenceId">The id.</param>
    /// <param name="hasEvents">Whether the id has an event that is not deleted.</param>
    /// <returns>False when the limit of ids or bytes is reached.</returns>
    internal bool Add(string persistenceId, bool hasEvents)
    {
        _last = persistenceId;
        _rows++;
        var bytes = BytesOf(persistenceId);
        if (hasEvents)
            _ids.Add(persistenceId, bytes);
        _isFull = (hasEvents && !_bytes.Add(bytes)) || _rows >= limit;
        return !_isFull;
    }

    /// <summary>
    /// Adds an id that the database treats as equal to the next one. It has events. It does not count towards the limit, because a later statement
    /// that begins after the next id does not find it.
    /// </summary>
    internal void AddEquivalent(string persistenceId)
    {
        var bytes = BytesOf(persistenceId);
        _ids.Add(persistenceId, bytes);
        _bytes.Add(bytes);
    }

    internal override void Complete()
    {
        _bytes.Complete();
        Result = new(_ids.Take(), _last ?? after, _isFull);
        _ids.Release();
    }

    internal override void Discard()
    {
        _bytes.Discard();
        _ids.Release();
    }

    internal override void Drop(int member) => budget.Release(Result.Page?.Bytes ?? 0);

    private static int BytesOf(string persistenceId) => 32 + (2 * persistenceId.Length);
}

/// <summary>The result of a statement that reads persistence ids.</summary>
/// <param name="Page">The ids that have events; null if there are none.</param>
/// <param name="Last">The last id that was read.</param>
/// <param name="MayHaveMore">Whether there may be ids after it.</param>
internal readonly record struct IdsResult(Page<string>? Page, string? Last, bool MayHaveMore);
