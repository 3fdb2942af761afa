using System.Collections;
using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;

namespace Throttled.Projections;

/// <summary>
/// Events in the order of the journal, and the open transaction that also stores the offset after them. What the handler writes in it is committed
/// with the offset, or not at all. The events of one persistence id always come in order. Batches of different lanes are handled at the same time.
/// </summary>
public sealed class ProjectionBatch : ReadModelTransaction, IReadOnlyList<ProjectionEvent>
{
    private readonly IReadOnlyList<ProjectionEvent> _events;
    private bool[]? _isTaken;
    private HashSet<long>? _unhandled;

    internal ProjectionBatch(string version, IReadOnlyList<ProjectionEvent> events, DbTransaction transaction, ReadModelDialect dialect)
        : base(version, transaction, dialect) => _events = events;

    /// <summary>The number of events; at least 1, at most <see cref="ProjectionOptions.BatchSize"/>.</summary>
    public int Count => _events.Count;

    /// <summary>
    /// The events that the handler reported as unhandled. If the handler never used the transaction itself, also the folded events that changed no
    /// key; and all events if it neither folded nor merged. Otherwise it is not known which events were handled.
    /// </summary>
    internal IEnumerable<ProjectionEvent> Untaken =>
        _events.Where((each, i) => (!IsUsed && (_isTaken is null ? !IsMerged : !_isTaken[i])) || _unhandled?.Contains(each.Ordering) == true);

    /// <summary>One of the events.</summary>
    /// <param name="index">From 0 to <see cref="Count"/> - 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such event.</exception>
    public ProjectionEvent this[int index] => _events[index];

    /// <summary>
    /// Reports that the handler does nothing with an event: use it in the last branch of a <c>switch</c> over event types. Such events are counted in
    /// <see cref="ProjectionStatus.UnhandledEvents"/>, and the log names each type once. To leave out events on purpose, let the decoder return null
    /// for them instead.
    /// </summary>
    /// <param name="event">An event of the batch.</param>
    public void Unhandled(ProjectionEvent @event) => (_unhandled ??= []).Add(@event.Ordering);

    /// <summary>
    /// Folds the events to one change for each key, so a row is written once for the whole batch; <see cref="MergeTable{TRow}"/> writes the changes.
    /// <code>
    /// var accounts = batch.Fold((string id) => new AccountChange(id), (changes, e) => changes[e.PersistenceId].Apply(e.Payload));
    /// </code>
    /// </summary>
    /// <typeparam name="TKey">What identifies a row.</typeparam>
    /// <typeparam name="TChange">All changes of the batch to a row.</typeparam>
    /// <param name="first">Creates an empty change for a key, when the key is used for the first time.</param>
    /// <param name="fold">Adds an event to the changes of its keys: one, several (a transfer between two accounts), or none to ignore the event.</param>
    /// <returns>The changes of all keys that were used.</returns>
    /// <exception cref="EventFailedException">One of the functions threw. The exception names the event. A cancellation is not wrapped.</exception>
    public IReadOnlyCollection<TChange> Fold<TKey, TChange>(Func<TKey, TChange> first, Action<BatchChanges<TKey, TChange>, ProjectionEvent> fold)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(fold);
        var changes = new BatchChanges<TKey, TChange>(first);
        _isTaken ??= new bool[_events.Count];
        for (var i = 0; i < _events.Count; i++)
        {
            changes.IsAsked = false;
            Fold(changes, _events[i], fold);
            _isTaken[i] |= changes.IsAsked;
        }
        return changes.All;
    }

    /// <inheritdoc/>
    public IEnumerator<ProjectionEvent> GetEnumerator() => _events.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private static void Fold<TChanges>(TChanges changes, ProjectionEvent @event, Action<TChanges, ProjectionEvent> fold)
    {
        try
        {
            fold(changes, @event);
        }
        catch (Exception error) when (error is not (EventFailedException or OperationCanceledException))
        {
            throw new EventFailedException(@event.Ordering, error);
        }
    }
}

/// <summary>The changes that <see cref="ProjectionBatch.Fold{TKey, TChange}"/> collects from a batch, one for each key.</summary>
/// <typeparam name="TKey">What identifies a row: one value, or a record or tuple of several.</typeparam>
/// <typeparam name="TChange">All changes of the batch to the row of a key.</typeparam>
public sealed class BatchChanges<TKey, TChange>
    where TKey : notnull
{
    private readonly Dictionary<TKey, TChange> _changes = [];
    private readonly Func<TKey, TChange> _first;

    internal BatchChanges(Func<TKey, TChange> first) => _first = first;

    /// <summary>Whether a key was used since this was set to false.</summary>
    internal bool IsAsked { get; set; }

    /// <summary>
    /// The change of a key, created at its first use. If it is a class, change it in place, which costs nothing for each event; if it is a value
    /// type, set it again.
    /// </summary>
    /// <param name="key">The key.</param>
    public TChange this[TKey key]
    {
        get
        {
            IsAsked = true;
            return _changes.TryGetValue(key, out var change) ? change : _changes[key] = _first(key);
        }
        set
        {
            IsAsked = true;
            _changes[key] = value;
        }
    }

    internal IReadOnlyCollection<TChange> All => _changes.Values;
}

/// <summary>Names the event that a handler failed at, so the projection need not search for it.</summary>
/// <param name="ordering">The event's <see cref="ProjectionEvent.Ordering"/>.</param>
/// <param name="cause">The error. This is what the projection reports.</param>
public sealed class EventFailedException(long ordering, Exception cause)
    : Exception(cause?.Message, cause)
{
    /// <summary>The event's <see cref="ProjectionEvent.Ordering"/>.</summary>
    public long Ordering { get; } = ordering;
}

/// <summary>One event of the journal with its payload decoded.</summary>
public readonly struct ProjectionEvent
{
    private static readonly VersionHistory NoHistory = new("");

    private readonly VersionHistory _history;

    internal ProjectionEvent(JournalEvent stored, object payload)
        : this(stored, payload, NoHistory)
    {
    }

    internal ProjectionEvent(JournalEvent stored, object payload, VersionHistory history) =>
        (Stored, Payload, _history) = (stored, payload, history);

    /// <summary>The event as the journal stores it: persistence id, sequence number, ordering, timestamp, tags.</summary>
    public JournalEvent Stored { get; }

    /// <summary>The payload that <see cref="ProjectionOptions.Decoder"/> returned; never null.</summary>
    public object Payload { get; }

    /// <summary>The entity that persisted the event.</summary>
    public string PersistenceId => Stored.PersistenceId;

    /// <summary>The event's number within its persistence id, from 1.</summary>
    public long SequenceNumber => Stored.SequenceNumber;

    /// <summary>The event's ordering in the journal.</summary>
    public long Ordering => Stored.Ordering;

    /// <summary>
    /// Whether the event is history. After the first start, these are the events that were in the journal. After a reset, they are those up to the offset
    /// before it; in a rebuild, those up to the live version's offset when the rebuild began. Events that were skipped or became dead letters are below
    /// the offset, so they are history too, although they had no effect. The answer is the same in each attempt, in each process and after a restart. A
    /// version that an older release created has no history until it is reset.
    /// </summary>
    public bool IsReplay => _history.Has(Stored);

    /// <summary>Identifies the event's effect in this version of the read model, for a receiver that drops repetitions.</summary>
    public IdempotencyKey IdempotencyKey => new(_history.Version, PersistenceId, SequenceNumber);

    /// <summary>The event's persistence id, sequence number and ordering.</summary>
    public override string ToString() => Stored.ToString();
}
