using System.Data.Common;
using Throttled.Journal.Loop;
using Throttled.Projections.Failures;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>
/// Commits a lane's writes, each exactly once. Transient faults are repeated. If the answer to a commit was lost, the offsets are read again first.
/// </summary>
internal sealed class LaneTransactions(LaneContext context, long epoch, LaneOffsets offsets, DeadLetterIds deadLetterIds, LaneHealth health, StoreRetry retry)
{
    // The database answered each time, and this many attempts take half a minute. So the events are the cause, not the database.
    private const int MaxHandlerFaults = BackOff.Many;

    private int _handlerFaults;
    private bool _isUnknown;
    private bool _isEnded;
    private IReadOnlyList<ProjectionEvent> _untaken = [];

    /// <summary>Returns the handler's failure; null if the write is committed.</summary>
    internal Task<EventFailure?> RunAsync(LaneWrite write, CancellationToken cancellation)
    {
        _handlerFaults = 0;
        (_isUnknown, _isEnded) = (false, false);
        return retry.ExecuteAsync(() => OnceAsync(write, cancellation), cancellation);
    }

    internal Task<T> ReadAsync<T>(Func<ILaneStore, Task<T>> read, CancellationToken cancellation) =>
        retry.ExecuteAsync(() => read(context.Store), cancellation);

    private async Task<EventFailure?> OnceAsync(LaneWrite write, CancellationToken cancellation)
    {
        if (_isUnknown && await IsThereAsync(write, cancellation).ConfigureAwait(false))
            return Done(write);
        _isUnknown = false;
        var start = context.Time.GetTimestamp();
        var transaction = await context.Store.BeginAsync(context.Version, epoch, cancellation).ConfigureAwait(false);
        await using (transaction.ConfigureAwait(false))
        {
            await transaction.MoveAsync(write.Move).ConfigureAwait(false);
            // Before the handler runs: if a commit without an answer did succeed, the handler must not fail at its own effects.
            await RecordAsync(write, transaction).ConfigureAwait(false);
            if (await HandleAsync(write, transaction, cancellation).ConfigureAwait(false) is { } failure)
                return failure;
            if (await CommitAsync(transaction, cancellation).ConfigureAwait(false) is { } refusal)
                return refusal;
        }
        context.Telemetry.Committed(write.Move.Events, context.Time.GetElapsedTime(start));
        foreach (var each in _untaken)
            context.Telemetry.Unhandled(each);
        return Done(write);
    }

    private EventFailure? Done(LaneWrite write)
    {
        offsets.Apply(write.Move);
        health.Count(write.Move.Events);
        health.MovedTo(offsets.Lowest);
        return null;
    }

    private async Task<EventFailure?> HandleAsync(LaneWrite write, ILaneTransaction transaction, CancellationToken cancellation)
    {
        _untaken = [];
        if (write.Events.Count == 0 || context.Handler.Delivery is not null)
            return null;
        try
        {
            var batch = new ProjectionBatch(context.Version, write.Events, transaction.Transaction, context.Dialect);
            _untaken = await batch.RunAsync(() => context.Handler.WriteEffectsAsync(batch, cancellation), cancellation).ConfigureAwait(false);
            return null;
        }
        catch (Exception error) when (!cancellation.IsCancellationRequested)
        {
            if (await transaction.HasFailedByAsync(error).ConfigureAwait(false) && ++_handlerFaults < MaxHandlerFaults)
                throw;
            return FailureOf(error);
        }
    }

    private static EventFailure FailureOf(Exception error) =>
        error is EventFailedException { InnerException: { } cause } failed ? new(cause, failed.Ordering, false) : new(error, null, false);

    private static async Task RecordAsync(LaneWrite write, ILaneTransaction transaction)
    {
        if (write.RemovedDeadLetters is { } removed)
            await transaction.RemoveDeadLettersAsync(removed.PersistenceId, removed.Orderings).ConfigureAwait(false);
        if (write.DeadLetters.Count > 0)
            await transaction.StoreDeadLettersAsync(write.DeadLetters).ConfigureAwait(false);
        if (write.Command is { } command)
            await transaction.RecordCommandAsync(command.Id, command.End).ConfigureAwait(false);
    }

    // An error that the database answers at the commit is the handler's: a deferred constraint, or an error that the handler caught.
    private async Task<EventFailure?> CommitAsync(ILaneTransaction transaction, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        try
        {
            if (_untaken.Count > 0)
                await transaction.CountUnhandledAsync(_untaken.Count).ConfigureAwait(false);
            await transaction.CommitAsync().ConfigureAwait(false);
            return null;
        }
        catch (DbException error) when (!context.Store.IsTransient(error))
        {
            return new(error, null, false);
        }
        // Not a database error: the driver says that the transaction is over. The repeated attempt has shown whether the handler committed it.
        catch (InvalidOperationException error) when (_isEnded)
        {
            return new(new InvalidOperationException(
                "The transaction ended while the handler used it. The handler must not commit it, roll it back, or catch an error that the database answers with a rollback.", error), null, false);
        }
        catch (Exception error)
        {
            _isEnded = error is InvalidOperationException;
            _isUnknown = true;
            throw;
        }
    }

    private async Task<bool> IsThereAsync(LaneWrite write, CancellationToken cancellation)
    {
        var stored = await context.Store.ReadLaneAsync(context.Version, offsets.Slices, cancellation).ConfigureAwait(false);
        var isOurs = stored.Epoch == epoch;
        // The write moves no offset, so the offsets do not show whether it was committed. Only repeating it does.
        if (isOurs && IsAt(stored, write.Move.From))
            return false;
        // Another runner may have moved the offsets just as far, and stored a dead letter for an event that this one handled.
        return isOurs && IsAt(stored, write.Move.To) && deadLetterIds.AreWith(write.DeadLetters, stored.DeadLetterIds, stored.DeadLetters)
            ? true
            : throw new FencedException("another process moved its offsets while a commit was unanswered");
    }

    private static bool IsAt(LaneCheckpoint stored, IReadOnlyList<SliceOffset> rows) =>
        stored.Offsets.Select(row => (row.Slices, row.Ordering)).SequenceEqual(rows.Select(row => (row.Slices, row.Ordering)));
}

internal sealed record LaneWrite(OffsetMove Move)
{
    internal IReadOnlyList<ProjectionEvent> Events { get; init; } = [];

    internal IReadOnlyList<DeadLetter> DeadLetters { get; init; } = [];

    internal DeadLetterRemoval? RemovedDeadLetters { get; init; }

    /// <summary>The command that this is a part of; null for none.</summary>
    internal LaneCommandPart? Command { get; init; }
}

/// <summary>A part of a command. With <c>End</c> it is the last one, and the command ends in the same transaction.</summary>
internal sealed record LaneCommandPart(long Id, CommandOutcome? End);

internal sealed record DeadLetterRemoval(string PersistenceId, IReadOnlyList<long> Orderings)
{
    internal static DeadLetterRemoval Of(IReadOnlyList<DeadLetter> deadLetters) =>
        new(deadLetters[0].Event.PersistenceId, [.. deadLetters.Select(deadLetter => deadLetter.Event.Ordering)]);
}
