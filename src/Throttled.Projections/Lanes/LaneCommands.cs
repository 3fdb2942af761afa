using Throttled.Projections.Diagnostics;
using Throttled.Projections.Failures;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>
/// Retries and discards a lane's dead letters, between two of its batches, so the events of a persistence id stay in order. The effect of a command
/// and its end are committed together.
/// </summary>
internal sealed class LaneCommands(LaneContext context, int lane, LaneOffsets offsets, DeadLetterIds deadLetterIds, LaneTransactions transactions, RetryDelays delays)
{
    // The ordering of the last dead letter that an at-least-once handler was given in this page.
    private long _deliveredUpTo;

    // The number of dead letters in the command's earlier pages.
    private int _retried;

    /// <exception cref="FencedException">The lane's stored state is not as its runner knows it.</exception>
    internal async Task ExecuteAsync(CommandRow command, CancellationToken cancellation)
    {
        var end = await ((command.Verb, command.SequenceNumber) switch
        {
            (CommandVerb.Retry, _) => RetryAsync(command, cancellation),
            (_, { } number) => DiscardAsync(command, number, cancellation),
            _ => DiscardAllAsync(command, cancellation),
        }).ConfigureAwait(false);
        context.Telemetry.Executed(command, end);
    }

    private async Task<CommandOutcome> DiscardAsync(CommandRow command, long sequenceNumber, CancellationToken cancellation)
    {
        var found = await transactions.ReadAsync(
            store => store.FindDeadLettersAsync(context.Version, command.PersistenceId!, sequenceNumber, cancellation), cancellation).ConfigureAwait(false);
        if (found.Orderings.Count == 0)
            return await NoneAsync(command, areNone: !found.HasOthers, cancellation).ConfigureAwait(false);
        var end = CommandOutcome.Done($"{EventCount(found.Orderings.Count)} discarded");
        await CommitAsync(
            new(offsets.Stay()) { RemovedDeadLetters = new(command.PersistenceId!, [.. found.Orderings]), Ended = Of(command, end) }, cancellation).ConfigureAwait(false);
        deadLetterIds.Remove(command.PersistenceId!, found.Orderings.Count, areAll: !found.HasOthers);
        return end;
    }

    private async Task<CommandOutcome> DiscardAllAsync(CommandRow command, CancellationToken cancellation)
    {
        for (var discarded = 0; ;)
        {
            var deadLetters = await ReadAsync(command, cancellation).ConfigureAwait(false);
            if (deadLetters.Rows.Count == 0)
                return await NoneAsync(command, areNone: true, cancellation).ConfigureAwait(false);
            discarded += deadLetters.Rows.Count;
            var end = deadLetters.MoreFollow ? null : CommandOutcome.Done($"{EventCount(discarded)} discarded");
            await CommitAsync(new(offsets.Stay()) { RemovedDeadLetters = Removing(command, deadLetters.Rows), Ended = Of(command, end) }, cancellation).ConfigureAwait(false);
            deadLetterIds.Remove(command.PersistenceId!, deadLetters.Rows.Count, areAll: !deadLetters.MoreFollow);
            if (end is not null)
                return end;
        }
    }

    private async Task<CommandOutcome> RetryAsync(CommandRow command, CancellationToken cancellation)
    {
        _retried = 0;
        while (true)
        {
            var deadLetters = await ReadAsync(command, cancellation).ConfigureAwait(false);
            if (deadLetters.Rows.Count == 0)
                return await NoneAsync(command, areNone: true, cancellation).ConfigureAwait(false);
            if (command.SequenceNumber is { } number && deadLetters.Rows[0].Event.SequenceNumber != number)
                return await EndAsync(command, NotFirst(command, deadLetters.Rows[0]), cancellation).ConfigureAwait(false);
            var page = command.SequenceNumber is null ? deadLetters.Rows : [deadLetters.Rows[0]];
            var isLast = !deadLetters.MoreFollow || command.SequenceNumber is not null;
            var failed = await RetryAsync(command, page, isLast ? Retried(_retried + page.Count) : null, cancellation).ConfigureAwait(false);
            if (failed is not null)
                return failed;
            _retried += page.Count;
            deadLetterIds.Remove(command.PersistenceId!, page.Count, !deadLetters.MoreFollow && page.Count == deadLetters.Rows.Count);
            if (isLast)
                return Retried(_retried);
        }
    }

    // Tries a page in one transaction. If it fails, tries smaller ones, up to the event that fails.
    private async Task<CommandOutcome?> RetryAsync(
        CommandRow command, IReadOnlyList<DeadLetter> page, CommandOutcome? end, CancellationToken cancellation)
    {
        var progress = new Bisection(page.Count, 1, FailurePolicy.Stop);
        var removed = 0;
        _deliveredUpTo = 0;
        while (progress.Next is { } range)
        {
            IReadOnlyList<DeadLetter> deadLetters = [.. page.Skip(range.From).Take(range.Count)];
            var isLast = range.To == page.Count;
            var failure = await TryAsync(command, deadLetters, isLast ? end : null, cancellation).ConfigureAwait(false);
            if (failure is null)
            {
                removed += deadLetters.Count;
                progress.Succeeded();
                continue;
            }
            if (progress.Failed(IndexOf(page, failure), failure.IsFinal) != FailureOutcome.Stop)
                continue;
            deadLetterIds.Remove(command.PersistenceId!, removed, areAll: false);
            return await FailedAgainAsync(command, deadLetters[0], _retried + removed, failure, cancellation).ConfigureAwait(false);
        }
        return null;
    }

    private async Task<EventFailure?> TryAsync(
        CommandRow command, IReadOnlyList<DeadLetter> deadLetters, CommandOutcome? end, CancellationToken cancellation)
    {
        var events = new List<ProjectionEvent>(deadLetters.Count);
        foreach (var deadLetter in deadLetters)
        {
            var decoded = DecodedEvent.Decode(deadLetter.Event, context.Decode);
            if (decoded.Undecodable is { } error)
                return new(error, deadLetter.Event.Ordering, true);
            if (decoded.Payload is { } payload)
                events.Add(new(deadLetter.Event, payload));
        }
        if (await DeliverOneByOneAsync(events, cancellation).ConfigureAwait(false) is { } failure)
            return failure;
        return await transactions.RunAsync(
            new(offsets.Stay()) { Events = events, RemovedDeadLetters = Removing(command, deadLetters), Ended = Of(command, end) }, cancellation).ConfigureAwait(false);
    }

    // Delivers each event once, even if a later one fails and smaller ranges are tried.
    private async Task<EventFailure?> DeliverOneByOneAsync(IReadOnlyList<ProjectionEvent> events, CancellationToken cancellation)
    {
        if (context.Handler is not AtLeastOnceHandler handler)
            return null;
        foreach (var delivered in events.Where(each => each.Ordering > _deliveredUpTo))
        {
            if (await AtLeastOnceDelivery.TryAsync(context, handler, delivered, delays, cancellation).ConfigureAwait(false) is { } failure)
                return failure;
            _deliveredUpTo = delivered.Ordering;
        }
        return null;
    }

    private async Task<CommandOutcome> FailedAgainAsync(
        CommandRow command, DeadLetter deadLetter, int retried, EventFailure failure, CancellationToken cancellation)
    {
        var again = deadLetter with { Error = failure.Cause.ToString(), Attempts = deadLetter.Attempts + 1 };
        var end = CommandOutcome.Refused(
            $"{EventCount(retried)} retried; sequence number {deadLetter.Event.SequenceNumber} failed again: {ErrorText.Of(failure.Cause)}");
        // Removed and stored again, not only stored: if another runner has retried it in the meantime, it must not come back.
        await CommitAsync(new(offsets.Stay()) { RemovedDeadLetters = Removing(command, [deadLetter]), DeadLetters = [again], Ended = Of(command, end) }, cancellation).ConfigureAwait(false);
        return end;
    }

    private async Task<CommandOutcome> NoneAsync(CommandRow command, bool areNone, CancellationToken cancellation)
    {
        // Corrects the lane's own list: without a dead letter, no event of the id may queue.
        if (areNone)
            deadLetterIds.Remove(command.PersistenceId!, 0, areAll: true);
        return await EndAsync(command, NoneOf(command), cancellation).ConfigureAwait(false);
    }

    private async Task<CommandOutcome> EndAsync(CommandRow command, CommandOutcome end, CancellationToken cancellation)
    {
        await CommitAsync(new(offsets.Stay()) { Ended = Of(command, end) }, cancellation).ConfigureAwait(false);
        return end;
    }

    private async Task CommitAsync(LaneWrite write, CancellationToken cancellation)
    {
        if (await transactions.RunAsync(write, cancellation).ConfigureAwait(false) is { } refused)
            throw new LaneStoppedException($"The database refuses to commit a command ({ErrorText.Of(refused.Cause)})", refused.Cause);
    }

    private async Task<DeadLettersRead> ReadAsync(CommandRow command, CancellationToken cancellation)
    {
        var most = context.Options.BatchSize;
        var rows = await transactions.ReadAsync(
            store => store.ReadDeadLettersAsync(context.Version, command.PersistenceId!, most + 1, cancellation), cancellation).ConfigureAwait(false);
        return rows.Count > most ? new([.. rows.Take(most)], true) : new(rows, false);
    }

    private static DeadLetterRemoval Removing(CommandRow command, IReadOnlyList<DeadLetter> deadLetters) =>
        new(command.PersistenceId!, [.. deadLetters.Select(deadLetter => deadLetter.Event.Ordering)]);

    private static int? IndexOf(IReadOnlyList<DeadLetter> page, EventFailure failure)
    {
        for (var index = 0; index < page.Count; index++)
        {
            if (page[index].Stored.Ordering == failure.Ordering)
                return index;
        }
        return null;
    }

    private static CommandOutcome Retried(int deadLetters) => CommandOutcome.Done($"{EventCount(deadLetters)} retried");

    private static (long Id, CommandOutcome Outcome)? Of(CommandRow command, CommandOutcome? end) => end is null ? null : (command.Id, end);

    private static CommandOutcome NoneOf(CommandRow command) => CommandOutcome.Refused(
        $"'{command.PersistenceId}' has no dead letter{(command.SequenceNumber is { } number ? $" with sequence number {number}" : "")}");

    private static CommandOutcome NotFirst(CommandRow command, DeadLetter first) => CommandOutcome.Refused(
        $"sequence number {command.SequenceNumber} of '{command.PersistenceId}' is not its first dead letter; retry or discard {first.Event.SequenceNumber} first");

    private static string EventCount(int count) => count == 1 ? "1 event" : FormattableString.Invariant($"{count} events");

    private sealed record DeadLettersRead(IReadOnlyList<DeadLetter> Rows, bool MoreFollow);
}
