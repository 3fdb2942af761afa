using Throttled.Projections.Diagnostics;
using Throttled.Projections.Failures;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>Retries and discards a lane's dead letters, between two of its batches. The effect of a command and its end are committed together.</summary>
internal sealed class LaneCommands(LaneContext context, int lane, LaneOffsets offsets, DeadLetterIds deadLetterIds, LaneTransactions transactions, LaneWriter writer)
{
    internal async Task ExecuteAsync(CommandRow command, CancellationToken cancellation)
    {
        var outcome = await ((command.Verb, command.SequenceNumber) switch
        {
            (CommandVerb.Retry, _) => RetryAsync(command, cancellation),
            (_, { } number) => DiscardAsync(command, number, cancellation),
            _ => DiscardAllAsync(command, cancellation),
        }).ConfigureAwait(false);
        context.Telemetry.Executed(command, outcome);
    }

    private async Task<CommandOutcome> DiscardAsync(CommandRow command, long sequenceNumber, CancellationToken cancellation)
    {
        var found = await transactions.ReadAsync(
            store => store.FindDeadLettersAsync(context.Version, command.PersistenceId!, sequenceNumber, cancellation), cancellation).ConfigureAwait(false);
        if (found.Orderings.Count == 0)
            return await NoneAsync(command, areNone: !found.HasOthers, cancellation).ConfigureAwait(false);
        var done = Done(found.Orderings.Count, "discarded");
        await CommitAsync(
            new(offsets.Stay()) { RemovedDeadLetters = new(command.PersistenceId!, found.Orderings), Ended = (command.Id, done) }, cancellation).ConfigureAwait(false);
        deadLetterIds.Remove(command.PersistenceId!, found.Orderings.Count, areAll: !found.HasOthers);
        return done;
    }

    private async Task<CommandOutcome> DiscardAllAsync(CommandRow command, CancellationToken cancellation)
    {
        for (var discarded = 0; ;)
        {
            var (page, isLast) = await ReadAsync(command, cancellation).ConfigureAwait(false);
            if (page.Count == 0)
                return await NoneAsync(command, areNone: true, cancellation).ConfigureAwait(false);
            discarded += page.Count;
            var done = Done(discarded, "discarded");
            await CommitAsync(
                new(offsets.Stay()) { RemovedDeadLetters = DeadLetterRemoval.Of(page), Ended = isLast ? (command.Id, done) : null }, cancellation).ConfigureAwait(false);
            deadLetterIds.Remove(command.PersistenceId!, page.Count, areAll: isLast);
            if (isLast)
                return done;
        }
    }

    private async Task<CommandOutcome> RetryAsync(CommandRow command, CancellationToken cancellation)
    {
        for (var retried = 0; ;)
        {
            var (rows, areAll) = await ReadAsync(command, cancellation).ConfigureAwait(false);
            if (rows.Count == 0)
                return await NoneAsync(command, areNone: true, cancellation).ConfigureAwait(false);
            if (command.SequenceNumber is { } number && rows[0].Event.SequenceNumber != number)
                return await EndAsync(command, NotFirst(command, rows[0]), cancellation).ConfigureAwait(false);
            var page = command.SequenceNumber is null ? rows : [rows[0]];
            var isLast = areAll || command.SequenceNumber is not null;
            var done = Done(retried + page.Count, "retried");
            var batch = LaneBatch.OfRetry(page, isLast ? (command.Id, done) : null, context.DecodeInSource);
            using var activity = context.Telemetry.StartBatch(lane, page.Count);
            if (await writer.WriteAsync(batch, cancellation).ConfigureAwait(false) is { } failed)
            {
                activity.SetFailed(failed.Cause);
                deadLetterIds.Remove(command.PersistenceId!, failed.Index, areAll: false);
                return await FailedAgainAsync(command, page[failed.Index], retried + failed.Index, failed.Cause, cancellation).ConfigureAwait(false);
            }
            retried += page.Count;
            deadLetterIds.Remove(command.PersistenceId!, page.Count, areAll && page.Count == rows.Count);
            if (isLast)
                return done;
        }
    }

    private async Task<CommandOutcome> FailedAgainAsync(CommandRow command, DeadLetter deadLetter, int retried, Exception cause, CancellationToken cancellation)
    {
        var refused = CommandOutcome.Refused(
            $"{EventCount(retried)} retried; sequence number {deadLetter.Event.SequenceNumber} failed again: {ErrorText.Of(cause)}");
        // Removed and stored again, not only stored: if another runner has retried it in the meantime, it must not come back.
        var write = new LaneWrite(offsets.Stay())
        {
            RemovedDeadLetters = DeadLetterRemoval.Of([deadLetter]),
            DeadLetters = [deadLetter with { Error = cause.ToString(), Attempts = deadLetter.Attempts + 1 }],
            Ended = (command.Id, refused),
        };
        await CommitAsync(write, cancellation).ConfigureAwait(false);
        return refused;
    }

    private async Task<CommandOutcome> NoneAsync(CommandRow command, bool areNone, CancellationToken cancellation)
    {
        // Corrects the lane's own list: without a dead letter, no event of the id may queue.
        if (areNone)
            deadLetterIds.Remove(command.PersistenceId!, 0, areAll: true);
        return await EndAsync(command, NoneOf(command), cancellation).ConfigureAwait(false);
    }

    private async Task<CommandOutcome> EndAsync(CommandRow command, CommandOutcome outcome, CancellationToken cancellation)
    {
        await CommitAsync(new(offsets.Stay()) { Ended = (command.Id, outcome) }, cancellation).ConfigureAwait(false);
        return outcome;
    }

    private async Task CommitAsync(LaneWrite write, CancellationToken cancellation)
    {
        if (await transactions.RunAsync(write, cancellation).ConfigureAwait(false) is { } refused)
            throw new LaneStoppedException($"The database refuses to commit a command ({ErrorText.Of(refused.Cause)})", refused.Cause);
    }

    // A page of dead letters, and whether it has all that are left.
    private async Task<(IReadOnlyList<DeadLetter> Page, bool IsLast)> ReadAsync(CommandRow command, CancellationToken cancellation)
    {
        var most = context.Options.BatchSize;
        var rows = await transactions.ReadAsync(
            store => store.ReadDeadLettersAsync(context.Version, command.PersistenceId!, most + 1, cancellation), cancellation).ConfigureAwait(false);
        return rows.Count > most ? ([.. rows.Take(most)], false) : (rows, true);
    }

    private static CommandOutcome Done(int deadLetters, string what) => CommandOutcome.Done($"{EventCount(deadLetters)} {what}");

    private static CommandOutcome NoneOf(CommandRow command) => CommandOutcome.Refused(
        $"'{command.PersistenceId}' has no dead letter{(command.SequenceNumber is { } number ? $" with sequence number {number}" : "")}");

    private static CommandOutcome NotFirst(CommandRow command, DeadLetter first) => CommandOutcome.Refused(
        $"sequence number {command.SequenceNumber} of '{command.PersistenceId}' is not its first dead letter; retry or discard {first.Event.SequenceNumber} first");

    private static string EventCount(int count) => count == 1 ? "1 event" : FormattableString.Invariant($"{count} events");
}
