namespace Throttled.Journal.Rows;

/// <summary>
/// One statement that reads persistence ids, each once, in the order in which the database sorts them. The database adds them as they
/// arrive until it has none left or <see cref="Add"/> says stop. Used by one thread at a time.
/// </summary>
/// <param name="after">The id behind which it begins; null for the first.</param>
/// <param name="limit">How many ids at most.</param>
/// <param name="budget">Counts them.</param>
internal sealed class IdsRows(string? after, int limit, ByteBudget budget)
{
    private readonly InFlightBytes _bytes = new(budget);
    private readonly PageBuilder<string> _ids = new();
    private string? _last;
    private int _rows;
    private bool _isFull;

    /// <summary>The id behind which the first is read; null for the first of all.</summary>
    internal string? After => after;

    /// <summary>At most so many; the database may stop sending there by itself.</summary>
    internal int Limit => limit;

    /// <summary>What was read; valid once complete.</summary>
    internal IdsResult Result { get; private set; }

    /// <summary>Adds the next id.</summary>
    /// <param name="persistenceId">The id.</param>
    /// <param name="hasEvents">Whether it has an event that is not deleted.</param>
    /// <returns>Whether to go on; false once ids or bytes are at their bound.</returns>
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
    /// Adds an id that the database holds for equal to the next one. It has events, and does not count towards the limit: behind the next one
    /// it is not found again.
    /// </summary>
    internal void AddEquivalent(string persistenceId)
    {
        var bytes = BytesOf(persistenceId);
        _ids.Add(persistenceId, bytes);
        _bytes.Add(bytes);
    }

    /// <inheritdoc cref="OrderedRows.Complete"/>
    internal void Complete()
    {
        _bytes.Complete();
        Result = new(_ids.Take(), _last ?? after, _isFull);
        _ids.Release();
    }

    /// <inheritdoc cref="ByIdRows.Discard"/>
    internal void Discard()
    {
        _bytes.Discard();
        _ids.Release();
    }

    /// <summary>Gives back what was counted, if nobody takes the ids.</summary>
    internal void Drop() => budget.Release(Result.Page?.Bytes ?? 0);

    private static int BytesOf(string persistenceId) => 32 + (2 * persistenceId.Length);
}

/// <summary>What a statement found of the persistence ids.</summary>
/// <param name="Page">The ids that have events; null where there are none.</param>
/// <param name="Last">The last id that was read.</param>
/// <param name="MayHaveMore">Whether there may be ids behind it.</param>
internal readonly record struct IdsResult(Page<string>? Page, string? Last, bool MayHaveMore);
