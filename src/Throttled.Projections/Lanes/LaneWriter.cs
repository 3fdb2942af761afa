using Throttled.Journal.Loop;
using Throttled.Journal;
using Throttled.Projections.Databases;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Failures;
using Throttled.Projections.Offsets;
using Throttled.Projections.Payloads;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>
/// Writes a lane's batches, one after the other. If a batch fails, smaller ranges are tried, then the single event, and then the failure policy
/// applies.
/// </summary>
internal sealed class LaneWriter(
    LaneContext context, int lane, LaneOffsets offsets, DeadLetterIds deadLetterIds, LaneTransactions transactions, RetryDelays delays)
{
    // The index after the last event of the batch that an at-least-once handler was given.
    private int _deliveredUpTo;

    /// <exception cref="LaneStoppedException">The lane stops before an event.</exception>
    /// <exception cref="FencedException">The lane's stored state is not as its runner knows it.</exception>
    internal async Task WriteAsync(LaneBatch batch, CancellationToken cancellation)
    {
        _deliveredUpTo = 0;
        var progress = new Bisection(batch.Events.Count, context.Options.MaxAttempts, context.Options.OnFailure);
        EventFailure? last = null;
        while (progress.Next is { } range)
        {
            var failure = await TryAsync(batch, range, progress.Attempts, last?.Cause, cancellation).ConfigureAwait(false);
            if (failure is null)
                progress.Succeeded();
            else
                await FailedAsync(batch, range, progress, failure).ConfigureAwait(false);
            last = failure ?? (progress.Attempts > 0 ? last : null);
        }
    }

    private async Task FailedAsync(LaneBatch batch, EventRange range, Bisection progress, EventFailure failure)
    {
        // The handler is not involved, so neither smaller ranges nor another attempt help.
        if (range.Count == 0 || range.Action != EventAction.Handle)
            throw Stopped("The database refuses to store its offset", failure.Cause);
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

    private async Task<EventFailure?> TryAsync(
        LaneBatch batch, EventRange range, int attempts, Exception? cause, CancellationToken cancellation)
    {
        var routing = new EventRouting(deadLetterIds, batch, range);
        if (routing.Undecodable is { } undecodable)
            return undecodable;
        if (await DeliverOneByOneAsync(routing, range, cancellation).ConfigureAwait(false) is { } failure)
            return failure;
        var deadLetters = range.Action == EventAction.DeadLetter ? [DeadLetterOf(batch, range, attempts, cause)] : routing.Queued;
        if (deadLetters.Count > deadLetterIds.Room)
            throw Full(batch.Events[range.From], cause);
        var readUpTo = batch.ReadUpToOf(range.To);
        var write = new LaneWrite(offsets.MoveTo(readUpTo.Ordering, readUpTo.Timestamp, range.Count))
        {
            Events = routing.Handled,
            DeadLetters = deadLetters,
        };
        if (await transactions.RunAsync(write, cancellation).ConfigureAwait(false) is { } refused)
            return refused;
        Report(batch, range, deadLetters, cause);
        return null;
    }

    private void Report(LaneBatch batch, EventRange range, IReadOnlyList<DeadLetter> deadLetters, Exception? cause)
    {
        deadLetterIds.Add(deadLetters);
        if (range.Action == EventAction.Skip)
            context.Telemetry.Skipped(lane, batch.Events[range.From].Stored, cause);
        foreach (var deadLetter in deadLetters)
            context.Telemetry.DeadLettered(lane, deadLetter, cause);
    }

    // Outside any transaction. Each event is delivered once, even if the offset of a range is stored again.
    private async Task<EventFailure?> DeliverOneByOneAsync(EventRouting routing, EventRange range, CancellationToken cancellation)
    {
        if (context.Handler is not AtLeastOnceHandler handler || range.Action != EventAction.Handle)
            return null;
        foreach (var (index, delivered) in routing.HandledByIndex)
        {
            if (index < _deliveredUpTo)
                continue;
            if (await AtLeastOnceDelivery.TryAsync(context, handler, delivered, delays, cancellation).ConfigureAwait(false) is { } failure)
                return failure;
            _deliveredUpTo = index + 1;
        }
        return null;
    }

    private static DeadLetter DeadLetterOf(LaneBatch batch, EventRange range, int attempts, Exception? cause) =>
        new(batch.Events[range.From].Stored, cause?.ToString() ?? "", attempts);

    private LaneStoppedException Full(DecodedEvent stored, Exception? cause) => Stopped(
        $"The lane has reached its share of 'MaxDeadLetters' ({context.DeadLettersPerLane}) at {stored.Stored}; retry or discard dead letters, then resume", cause);

    // The caller adds the lane to the message.
    private static LaneStoppedException Stopped(string reason, Exception? cause) =>
        new(cause is null ? reason : $"{reason} ({ErrorText.Of(cause)})", cause ?? new InvalidOperationException(reason));
}

/// <summary>Decides which events of a range the handler gets, and which queue behind a dead letter of their persistence id.</summary>
internal sealed class EventRouting
{
    private readonly DeadLetterIds _deadLetterIds;
    private readonly List<ProjectionEvent> _handled = [];
    private readonly List<int> _indexes = [];
    private readonly List<DeadLetter> _queued = [];

    internal EventRouting(DeadLetterIds deadLetterIds, LaneBatch batch, EventRange range)
    {
        _deadLetterIds = deadLetterIds;
        if (range.Action != EventAction.Handle)
            return;
        for (var index = range.From; index < range.To; index++)
            Route(batch.Events[index], index);
    }

    internal IReadOnlyList<ProjectionEvent> Handled => _handled;

    /// <summary>The handled events, each with its index in the batch.</summary>
    internal IEnumerable<(int Index, ProjectionEvent Event)> HandledByIndex => _indexes.Zip(_handled);

    internal IReadOnlyList<DeadLetter> Queued => _queued;

    /// <summary>The first event that could not be decoded; null if there is none.</summary>
    internal EventFailure? Undecodable { get; private set; }

    private void Route(DecodedEvent routed, int index)
    {
        if (!_deadLetterIds.IsEmpty && _deadLetterIds.Contains(routed.Stored.PersistenceId))
            _queued.Add(new(routed.Stored, null, 0));
        else if (routed.Undecodable is { } error)
            Undecodable ??= new(error, routed.Stored.Ordering, true);
        else if (routed.Payload is { } payload)
        {
            _handled.Add(new(routed.Stored, payload));
            _indexes.Add(index);
        }
    }
}

/// <summary>Gives one event to an at-least-once handler. Transient faults are repeated.</summary>
internal static class AtLeastOnceDelivery
{
    internal static async Task<EventFailure?> TryAsync(
        LaneContext context, AtLeastOnceHandler handler, ProjectionEvent delivered, RetryDelays delays, CancellationToken cancellation)
    {
        for (var faults = 0; ; faults++)
        {
            try
            {
                await handler.HandleAsync(delivered, context.Version, cancellation).ConfigureAwait(false);
                return null;
            }
            catch (Exception error) when (!cancellation.IsCancellationRequested)
            {
                if (faults >= BackOff.Many || !context.Store.IsTransient(error))
                    return new(error, delivered.Ordering, false);
            }
            await delays.WaitAsync(faults).ConfigureAwait(false);
        }
    }
}
