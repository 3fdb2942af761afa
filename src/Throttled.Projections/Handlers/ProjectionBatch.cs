using System.Collections;
using System.Data.Common;
using Throttled.Projections.Databases;

namespace Throttled.Projections;

/// <summary>
/// Events in the order of the journal, and the open transaction in which the offset behind them is stored: what the handler writes in it is
/// committed with the offset, or not at all. The events of one persistence id always come in order; of different ids, several batches may be
/// handled at once, one for each lane.
/// </summary>
public sealed class ProjectionBatch : IReadOnlyList<ProjectionEvent>
{
    private readonly IReadOnlyList<ProjectionEvent> _events;
    private readonly DbTransaction _transaction;
    private bool[]? _isTaken;
    private HashSet<long>? _unhandled;
    private bool _isUsed;
    private bool _isMerged;

    internal ProjectionBatch(string version, IReadOnlyList<ProjectionEvent> events, DbTransaction transaction, ReadModelDialect dialect)
    {
        Version = version;
        _events = events;
        _transaction = transaction;
        Dialect = dialect;
    }

    /// <summary>
    /// The read model that is written: the projection's name, or the name that a rebuild was given. <see cref="ReadModelDatabase.Quote"/> it wherever it is a part
    /// of SQL.
    /// </summary>
    public string Version { get; }

    /// <summary>The open transaction. It is committed when the handler has returned; the handler neither commits nor rolls it back.</summary>
    public DbTransaction Transaction
    {
        get
        {
            _isUsed = true;
            return _transaction;
        }
    }

    /// <summary>The transaction's connection, open.</summary>
    public DbConnection Connection => Transaction.Connection!;

    /// <summary>Runs a statement in the transaction.</summary>
    /// <param name="sql">
    /// One statement, or several with semicolons between. Values belong into <paramref name="parameters"/>; names of tables that are made of
    /// <see cref="Version"/> through <see cref="ReadModelDatabase.Quote"/>.
    /// </param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <param name="parameters">What stands for <c>@name</c> in the statement, each as <c>("name", value)</c>; null is the database's null.</param>
    /// <returns>How many rows it touched; as the driver counts them.</returns>
    public Task<int> ExecuteAsync(string sql, CancellationToken cancellationToken, params (string Name, object? Value)[] parameters) =>
        SqlStatement.ExecuteAsync(Transaction, sql, isLong: false, cancellationToken, parameters);

    /// <summary>How many events there are; at least 1, at most <see cref="ProjectionOptions.BatchSize"/>.</summary>
    public int Count => _events.Count;

    internal ReadModelDialect Dialect { get; }

    /// <summary>
    /// The events that the handler said it does not handle. Where it did not use the transaction by itself, also those that were folded and changed no key, and all
    /// where it neither folded nor merged; otherwise what it takes is not known.
    /// </summary>
    internal IEnumerable<ProjectionEvent> Untaken =>
        _events.Where((each, i) => (!_isUsed && (_isTaken is null ? !_isMerged : !_isTaken[i])) || _unhandled?.Contains(each.Ordering) == true);

    /// <summary>For <see cref="MergeTable{TRow}"/>, which writes what was folded: it says nothing of events that were not.</summary>
    internal DbTransaction Merging
    {
        get
        {
            _isMerged = true;
            return _transaction;
        }
    }

    /// <summary>One of the events.</summary>
    /// <param name="index">From 0 to <see cref="Count"/> - 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such event.</exception>
    public ProjectionEvent this[int index] => _events[index];

    /// <summary>
    /// Says that the handler has nothing to do with an event: for the last branch of a <c>switch</c> over its type. Such events are counted in
    /// <see cref="ProjectionStatus.UnhandledEvents"/>, and the log names each type once. What is meant to be left out is better passed over by the decoder.
    /// </summary>
    /// <param name="event">One of the batch.</param>
    public void Unhandled(ProjectionEvent @event) => (_unhandled ??= []).Add(@event.Ordering);

    /// <summary>
    /// Folds the events to one change for each key, so that a row is written once for the whole batch; <see cref="MergeTable{TRow}"/> writes them.
    /// <code>
    /// var accounts = batch.Fold((string id) => new AccountChange(id), (changes, e) => changes[e.PersistenceId].Apply(e.Payload));
    /// </code>
    /// </summary>
    /// <typeparam name="TKey">What a row is found by.</typeparam>
    /// <typeparam name="TChange">All that the batch does to a row.</typeparam>
    /// <param name="first">Makes the change of a key that came for the first time, which changes nothing yet.</param>
    /// <param name="fold">
    /// Adds an event to the changes of the keys that it concerns: one, several (a transfer between two accounts) or none, where the event is left out.
    /// </param>
    /// <returns>The changes of all keys that were asked for.</returns>
    /// <exception cref="EventFailedException">One of them threw; it names the event. A cancellation is not wrapped.</exception>
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

/// <summary>What the events of a batch change, one change for each key, while <see cref="ProjectionBatch.Fold{TKey, TChange}"/> makes them.</summary>
/// <typeparam name="TKey">What a row is found by: one value, or a record or tuple of several.</typeparam>
/// <typeparam name="TChange">All that the batch does to the row of a key.</typeparam>
public sealed class BatchChanges<TKey, TChange>
    where TKey : notnull
{
    private readonly Dictionary<TKey, TChange> _changes = [];
    private readonly Func<TKey, TChange> _first;

    internal BatchChanges(Func<TKey, TChange> first) => _first = first;

    /// <summary>Whether a key was asked for since this was set to false.</summary>
    internal bool IsAsked { get; set; }

    /// <summary>
    /// A key's change, made when it is asked for the first time. A class is changed in place, which costs nothing for each event; a value is set
    /// again.
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

/// <summary>Names the event that a handler failed at, so that the others of its batch need not be tried one after the other.</summary>
/// <param name="ordering">The event's <see cref="ProjectionEvent.Ordering"/>.</param>
/// <param name="cause">What it failed with; this is what is reported.</param>
public sealed class EventFailedException(long ordering, Exception cause)
    : Exception(cause?.Message, cause)
{
    /// <summary>The event's <see cref="ProjectionEvent.Ordering"/>.</summary>
    public long Ordering { get; } = ordering;
}
