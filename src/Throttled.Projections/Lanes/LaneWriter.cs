using Throttled.Journal.Loop;
using Throttled.Projections.Databases;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Failures;
using Throttled.Projections.Handlers;
using Throttled.Projections.Offsets;
using Throttled.Projections.Payloads;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>
/// Writes a lane's batches. If one fails, smaller ranges are tried, then the single event, and then the failure policy applies. A retry of dead
/// letters has one attempt, and ends at the first event that fails.
/// </summary>
internal sealed class LaneWriter(
    LaneContext context, int lane, LaneOffsets offsets, DeadLetterIds deadLetterIds, LaneTransactions transactions, RetryDelays delays)
{
    private static readonly DeadLetterIds None = new([], 0, 0);

    // The ordering of the last event of the batch that an at-least-once handler was given.
    private long _deliveredUpTo;

    /// <summary>Returns the event at which a retry failed, by its index in the batch; null if the batch is written.</summary>
    internal async Task<(int Index, Exception Cause)?> WriteAsync(LaneBatch batch, CancellationToken cancellation)
    {
        _deliveredUpTo = 0;
        var progress = batch.IsRetry
            ? new Bisection(batch.Events.Count, 1, FailurePolicy.Stop)
            : new Bisection(batch.Events.Count, context.Options.MaxAttempts, context.Options.OnFailure);
        EventFailure? last = null;
        while (progress.Next is { } range)
        {
            var failure = await TryAsync(batch, range, progress.Attempts, last?.Cause, cancellation).ConfigureAwait(false);
            if (failure is null)
                progress.Succeeded();
            else if (!batch.IsRetry)
                await FailedAsync(batch, range, progress, failure).ConfigureAwait(false);
            else if (progress.Failed(batch.IndexOf(failure.Ordering), failure.IsFinal) == FailureOutcome.Stop)
                return (range.From, failure.Cause);
            last = failure ?? (progress.Attempts > 0 ? last : null);
        }
        return null;
    }

    private async Task FailedAsync(LaneBatch batch, EventRange range, Bisection progress, EventFailure failure)
    {
        // The handler is not involved, so neither smaller ranges nor another attempt help.
        if (range.Count == 0 || range.Action != EventAction.Handle)
            throw Stopped("The database refuses to store its offset", failure.Cause);
        if (WriterSetUpException.IsIn(failure.Cause))
            throw Stopped("The handler is not configured correctly, so no event was tried", failure.Cause);
        var outcome = progress.Failed(batch.IndexOf(failure.Ordering), failure.IsFinal);
        if (outcome == FailureOutcome.Split)
            return;
        var stored = batch.Events[range.From].Stored;
        context.Telemetry.Failed(lane, stored, progress.Attempts, context.Options.MaxAttempts, failure.Cause);
        // Every event would fail for this reason.
        if (outcome == FailureOutcome.Stop || (outcome == FailureOutcome.Exhausted && (failure.Cause is MissingDecoderException || TransientErrors.AreOfStatement(failure.Cause))))
            throw Stopped($"The event {stored} failed", failure.Cause);
        if (outcome == FailureOutcome.Retry)
            await delays.WaitAsync(progress.Attempts - 1).ConfigureAwait(false);
    }

    private async Task<EventFailure?> TryAsync(LaneBatch batch, EventRange range, int attempts, Exception? cause, CancellationToken cancellation)
    {
        var routing = new EventRouting(batch.IsRetry ? None : deadLetterIds, batch, range, context.History);
        if (routing.Undecodable is { } undecodable)
            return undecodable;
        if (await DeliverOneByOneAsync(routing.Handled, cancellation).ConfigureAwait(false) is { } failure)
            return failure;
        var deadLetters = range.Action == EventAction.DeadLetter ? [new(batch.Events[range.From].Stored, cause?.ToString() ?? "", attempts)] : routing.Queued;
        if (deadLetters.Count > deadLetterIds.Room)
            throw Full(batch.Events[range.From], cause);
        var write = WriteOf(batch, range) with { Events = routing.Handled, DeadLetters = deadLetters };
        if (await transactions.RunAsync(write, cancellation).ConfigureAwait(false) is { } refused)
            return refused;
        Report(batch, range, deadLetters, cause);
        return null;
    }

    private LaneWrite WriteOf(LaneBatch batch, EventRange range)
    {
        if (batch.IsRetry)
        {
            return new(offsets.Stay())
            {
                RemovedDeadLetters = DeadLetterRemoval.Of([.. batch.DeadLetters.Skip(range.From).Take(range.Count)]),
                Command = range.To == batch.Events.Count ? batch.Command : batch.Command! with { End = null },
            };
        }
        var readUpTo = batch.ReadUpToOf(range.To);
        return new(offsets.MoveTo(readUpTo.Ordering, readUpTo.Timestamp, range.Count));
    }

    private void Report(LaneBatch batch, EventRange range, IReadOnlyList<DeadLetter> deadLetters, Exception? cause)
    {
        deadLetterIds.Add(deadLetters);
        if (batch.IsRetry)
            deadLetterIds.Remove(batch.DeadLetters[range.From].Event.PersistenceId, range.Count, areAll: false);
        if (range.Action == EventAction.Skip)
            context.Telemetry.Skipped(lane, batch.Events[range.From].Stored, cause);
        foreach (var deadLetter in deadLetters)
            context.Telemetry.DeadLettered(lane, deadLetter, cause);
    }

    // Outside any transaction. Each event is delivered once, even if the offset of a range is stored again.
    private async Task<EventFailure?> DeliverOneByOneAsync(IReadOnlyList<ProjectionEvent> events, CancellationToken cancellation)
    {
        List<ProjectionEvent> left = [.. events.Where(each => each.Ordering > _deliveredUpTo)];
        if (left.Count == 0 || context.Handler.Delivery is not { } delivery)
            return null;
        Deliver? deliver = null;
        var failure = await TryAsync(async () => deliver = await delivery.BeginAsync(left, context.Version, cancellation).ConfigureAwait(false), null, cancellation)
            .ConfigureAwait(false);
        foreach (var delivered in left)
        {
            failure ??= await TryAsync(() => deliver!(delivered, cancellation), delivered.Ordering, cancellation).ConfigureAwait(false);
            if (failure is not null)
                return failure;
            _deliveredUpTo = delivered.Ordering;
        }
        return null;
    }

    private async Task<EventFailure?> TryAsync(Func<Task> call, long? ordering, CancellationToken cancellation)
    {
        for (var faults = 0; ; faults++)
        {
            try
            {
                await call().ConfigureAwait(false);
                return null;
            }
            catch (Exception error) when (!cancellation.IsCancellationRequested)
            {
                if (faults >= BackOff.Many || !context.Store.IsTransient(error))
                    return new(error, ordering, false);
            }
            await delays.WaitAsync(faults).ConfigureAwait(false);
        }
    }

    private LaneStoppedException Full(DecodedEvent stored, Exception? cause) => Stopped(
        $"The lane has reached its share of 'MaxDeadLetters' ({context.DeadLettersPerLane}) at {stored.Stored}; retry or discard dead letters, then resume", cause);

    // The caller adds the lane to the message.
    private static LaneStoppedException Stopped(string reason, Exception? cause) =>
        new(cause is null ? reason : $"{reason} ({ErrorText.Of(cause)})", cause ?? new InvalidOperationException(reason));
}

/// <summary>Decides which events of a range the handler gets, and which queue behind a dead letter.</summary>
internal sealed class EventRouting
{
    private readonly DeadLetterIds _deadLetterIds;
    private readonly VersionHistory _history;

    internal EventRouting(DeadLetterIds deadLetterIds, LaneBatch batch, EventRange range, VersionHistory history)
    {
        (_deadLetterIds, _history) = (deadLetterIds, history);
        if (range.Action != EventAction.Handle)
            return;
        for (var index = range.From; index < range.To; index++)
            Route(batch.Events[index]);
    }

    internal List<ProjectionEvent> Handled { get; } = [];

    internal List<DeadLetter> Queued { get; } = [];

    internal EventFailure? Undecodable { get; private set; }

    private void Route(DecodedEvent routed)
    {
        if (_deadLetterIds.Contains(routed.Stored.PersistenceId))
            Queued.Add(new(routed.Stored, null, 0));
        else if (routed.Undecodable is { } error)
            Undecodable ??= new(error, routed.Stored.Ordering, true);
        else if (routed.Payload is { } payload)
            Handled.Add(new(routed.Stored, payload, _history));
    }
}
