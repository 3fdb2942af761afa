using System.Collections.Concurrent;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Waits;

namespace Throttled.Projections;

/// <summary>
/// Waits until a projection has handled certain events, so that a caller reads its own writes. Works in any process that reaches the journal and the
/// read model database, whether it runs the projection or not. While calls wait for a projection, one poll every 50 ms serves all of them;
/// otherwise no statement runs. Keep one object for all calls. Thread-safe.
/// </summary>
/// <remarks>In an actor, pipe the task to yourself: <c>waits.WaitForAsync("orders", PersistenceId, LastSequenceNr, timeout).PipeTo(Self)</c>.</remarks>
/// <param name="journal">The journal of the projections, sharded or not.</param>
/// <param name="readModel">The database of their read models.</param>
/// <param name="time">The clock of time-outs and polls; the system's by default.</param>
public sealed class ProjectionWaits(JournalReader journal, ReadModelDatabase readModel, TimeProvider? time = null)
{
    private readonly ControlStore _store = new(readModel);
    private readonly ConcurrentDictionary<string, OffsetPoll> _polls = new(StringComparer.Ordinal);
    private readonly TimeProvider _time = time ?? TimeProvider.System;

    internal bool IsIdle => _polls.Values.All(poll => poll.IsIdle);

    internal int Count => _polls.Values.Sum(poll => poll.Count);

    /// <summary>The number of polls so far.</summary>
    internal long Polls => _polls.Values.Sum(poll => poll.Polls);

    /// <summary>
    /// Waits until the live read model has the effects of a persisted event, and of all earlier ones of its persistence id. The call waits
    /// only for the lane of that id. It returns at once if the event is in slices that the projection does not handle. It also returns for an event that
    /// the decoder or the handler passes over.
    /// </summary>
    /// <param name="projection">The projection's name.</param>
    /// <param name="persistenceId">The id of the entity that persisted the event.</param>
    /// <param name="sequenceNumber">The event's sequence number; at least 1.</param>
    /// <param name="timeout">How long to wait; above 0.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="TimeoutException">The time-out has passed. The message says why: the lane is behind, the lane failed, no process runs it, or
    /// no projection of that name has ever started in this database.</exception>
    /// <exception cref="ProjectionException">The event is a dead letter or queues behind one. Or the journal has deleted it.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The sequence number is below 1, or the time-out is not above 0.</exception>
    public async Task WaitForAsync(
        string projection, string persistenceId, long sequenceNumber, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(persistenceId);
        ArgumentOutOfRangeException.ThrowIfLessThan(sequenceNumber, 1);
        var began = _time.GetTimestamp();
        var found = await WithinAsync(
            timeout, token => FindAsync(persistenceId, sequenceNumber, token),
            FormattableString.Invariant($"the journal has no event {sequenceNumber} of '{persistenceId}'"), cancellationToken).ConfigureAwait(false);
        var slice = JournalSlices.Of(persistenceId);
        await WaitAsync(projection, [new(new(slice, slice), found, persistenceId)], timeout - _time.GetElapsedTime(began), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Waits until the live read model has the effects of all events that are in the journal now. A lane without new events reports how far it has
    /// read every few seconds (a third of <see cref="ProjectionOptions.LeaseDuration"/>), so this may take that long.
    /// </summary>
    /// <param name="projection">The projection's name.</param>
    /// <param name="timeout">How long to wait; above 0.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="TimeoutException">The time-out has passed. The message says why.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time-out is not above 0.</exception>
    public async Task WaitUntilLevelAsync(string projection, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        var began = _time.GetTimestamp();
        var ends = await WithinAsync(timeout, EndsAsync, "the journal did not answer", cancellationToken).ConfigureAwait(false);
        await WaitAsync(projection, ends, timeout - _time.GetElapsedTime(began), cancellationToken).ConfigureAwait(false);
    }

    private async Task<long> FindAsync(string persistenceId, long sequenceNumber, CancellationToken cancellation)
    {
        await foreach (var found in journal.EventsByPersistenceId(persistenceId, sequenceNumber, sequenceNumber).WithCancellation(cancellation).ConfigureAwait(false))
            return found.Ordering;
        throw new ProjectionException(FormattableString.Invariant(
            $"The journal has deleted the event {sequenceNumber} of '{persistenceId}', so its ordering is not known. Use '{nameof(WaitUntilLevelAsync)}' instead."));
    }

    private async Task<IReadOnlyList<OffsetWait>> EndsAsync(CancellationToken cancellation)
    {
        var map = journal.Journal.Map ?? ShardMap.Even(1);
        var ends = await Task.WhenAll(journal.Journal.Shards.Select(shard => shard.EndAsync(cancellation))).ConfigureAwait(false);
        return [.. ends.Select((end, shard) => new OffsetWait(map[shard], end))];
    }

    private async Task WaitAsync(string projection, IReadOnlyList<OffsetWait> waits, TimeSpan timeout, CancellationToken cancellation)
    {
        ArgumentException.ThrowIfNullOrEmpty(projection);
        var poll = _polls.GetOrAdd(projection, name => new(pending => _store.CheckAsync(name, pending), _time));
        try
        {
            await Task.WhenAll(waits.Select(wait => poll.WaitAsync(wait, timeout > TimeSpan.Zero ? timeout : TimeSpan.Zero, cancellation))).ConfigureAwait(false);
        }
        catch (TimeoutException error)
        {
            throw new TimeoutException($"The projection '{projection}' has not handled the events in time. {error.Message}");
        }
    }

    private async Task<T> WithinAsync<T>(TimeSpan timeout, Func<CancellationToken, Task<T>> read, string otherwise, CancellationToken cancellation)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(timeout, TimeSpan.Zero);
        using var limit = new CancellationTokenSource(timeout, _time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellation);
        try
        {
            return await read(either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellation.IsCancellationRequested)
        {
            throw new TimeoutException(FormattableString.Invariant($"After {timeout.TotalSeconds:0.###} s, {otherwise}."));
        }
    }
}
