using Throttled.Journal;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Failures;
using Throttled.Projections.Payloads;
using Throttled.Projections.Positions;
using Throttled.Projections.Store;

namespace Throttled.Projections.Lanes;

/// <summary>Gets a lane's batches through, one after the other: what fails is tried in smaller ranges, then alone, then as the policy says.</summary>
internal sealed class LaneWriter(
    LaneParts parts, int lane, LanePositions positions, ParkedIds parked, LaneTransactions transactions, LanePauses pauses)
{
    // The index behind the last event of the batch that an at-least-once handler was given.
    private int _handedSingly;

    /// <exception cref="LaneStoppedException">The lane stops before an event.</exception>
    /// <exception cref="FencedException">The lane is not as its runner knows it any more.</exception>
    internal async Task WriteAsync(LaneBatch batch, CancellationToken cancellation)
    {
        _handedSingly = 0;
        var progress = new Bisection(batch.Events.Count, parts.Options.MaxAttempts, parts.Options.OnFailure);
        EventFailure? last = null;
        while (progress.Next is { } piece)
        {
            var failure = await TryAsync(batch, piece, progress.Attempts, last?.Cause, cancellation).ConfigureAwait(false);
            if (failure is null)
                progress.Succeeded();
            else
                await FailedAsync(batch, piece, progress, failure).ConfigureAwait(false);
            last = failure ?? (progress.Attempts > 0 ? last : null);
        }
    }

    private async Task FailedAsync(LaneBatch batch, Piece piece, Bisection progress, EventFailure failure)
    {
        // The handler had no part in it, so that neither smaller ranges nor another attempt are what helps.
        if (piece.Count == 0 || piece.Treatment != Treatment.Handle)
            throw Stopped("The database refuses to store its offset", failure.Cause);
        var verdict = progress.Failed(batch.IndexOf(failure.Ordering), failure.IsFinal);
        if (verdict == FailureVerdict.Split)
            return;
        var stored = batch.Events[piece.From].Stored;
        parts.News.Failed(lane, stored, progress.Attempts, parts.Options.MaxAttempts, failure.Cause);
        // It would fail with every event.
        if (verdict == FailureVerdict.Stop || (verdict == FailureVerdict.GivenUp && (failure.Cause is MissingDecoderException || TransientFaults.AreOfSchema(failure.Cause))))
            throw Stopped($"The event {stored} failed", failure.Cause);
        if (verdict == FailureVerdict.Again)
            await pauses.WaitAsync(progress.Attempts - 1).ConfigureAwait(false);
    }

    private async Task<EventFailure?> TryAsync(
        LaneBatch batch, Piece piece, int attempts, Exception? cause, CancellationToken cancellation)
    {
        var sorting = new PieceSorting(parked, batch, piece);
        if (sorting.Undecodable is { } undecodable)
            return undecodable;
        if (await HandSinglyAsync(sorting, piece, cancellation).ConfigureAwait(false) is { } failure)
            return failure;
        var letters = piece.Treatment == Treatment.Park ? [Letter(batch, piece, attempts, cause)] : sorting.Queued;
        if (letters.Count > parked.Room)
            throw Full(batch.Events[piece.From], cause);
        var through = batch.ThroughOf(piece.To);
        var write = new LaneWrite(positions.MoveTo(through.Ordering, through.Timestamp, piece.Count))
        {
            Events = sorting.Handled,
            Parked = letters,
        };
        if (await transactions.RunAsync(write, cancellation).ConfigureAwait(false) is { } refused)
            return refused;
        Tell(batch, piece, letters, cause);
        return null;
    }

    private void Tell(LaneBatch batch, Piece piece, IReadOnlyList<DeadLetterRow> letters, Exception? cause)
    {
        parked.Add(letters);
        if (piece.Treatment == Treatment.Skip)
            parts.News.Skipped(lane, batch.Events[piece.From].Stored, cause);
        foreach (var letter in letters)
            parts.News.Parked(lane, letter, cause);
    }

    // Outside of any transaction, and each once where the offset of a range is stored again.
    private async Task<EventFailure?> HandSinglyAsync(PieceSorting sorting, Piece piece, CancellationToken cancellation)
    {
        if (parts.Handler is not SingleHandler handler || piece.Treatment != Treatment.Handle)
            return null;
        foreach (var (index, handed) in sorting.HandledByIndex)
        {
            if (index < _handedSingly)
                continue;
            if (await SingleHandling.TryAsync(parts, handler, handed, pauses, cancellation).ConfigureAwait(false) is { } failure)
                return failure;
            _handedSingly = index + 1;
        }
        return null;
    }

    private static DeadLetterRow Letter(LaneBatch batch, Piece piece, int attempts, Exception? cause) =>
        new(batch.Events[piece.From].Stored, cause?.ToString() ?? "", attempts);

    private LaneStoppedException Full(LaneEvent stored, Exception? cause) => Stopped(
        $"It has its share of 'MaxDeadLetters' ({parts.LettersPerLane}) at {stored.Stored}; retry or discard dead letters, then resume", cause);

    // Who tells of it names the lane.
    private static LaneStoppedException Stopped(string reason, Exception? cause) =>
        new(cause is null ? reason : $"{reason} ({ErrorText.Of(cause)})", cause ?? new InvalidOperationException(reason));
}
