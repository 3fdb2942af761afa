using Throttled.Projections.Diagnostics;
using Throttled.Projections.Failures;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>
/// Retries and discards a lane's dead letters, between two of its batches. A command with many dead letters is executed in parts of a batch each. The
/// effect of a part is committed with the check that its command still waits; that of the last part with its end.
/// </summary>
internal sealed class LaneCommands(LaneContext context, int lane, LaneOffsets offsets, DeadLetterIds deadLetterIds, LaneTransactions transactions, LaneWriter writer)
{
    // Dead letters of commands that have not ended yet.
    private readonly Dictionary<long, int> _handled = [];

    /// <summary>Why the lane refuses retries; null if it does not.</summary>
    internal string? RetryRefusal { get; init; }

    /// <summary>Executes the next part of a command. Returns whether the command has ended.</summary>
    internal async Task<bool> ExecuteAsync(CommandRow command, CancellationToken cancellation)
    {
        try
        {
            if (await NextAsync(command, cancellation).ConfigureAwait(false) is not { } outcome)
                return false;
            context.Telemetry.Executed(command, outcome);
        }
        // It was withdrawn or refused after it was read. This part is rolled back, and the lane goes on.
        catch (CommandEndedException)
        {
        }
        _handled.Remove(command.Id);
        return true;
    }

    private Task<CommandOutcome?> NextAsync(CommandRow command, CancellationToken cancellation) => (command.Verb, command.SequenceNumber) switch
    {
        (CommandVerb.Retry, _) when RetryRefusal is { } refusal => EndAsync(command, CommandOutcome.Refused(refusal), cancellation),
        (CommandVerb.Retry, _) => RetryAsync(command, cancellation),
        (_, { } number) => DiscardAsync(command, number, cancellation),
        _ => DiscardAllAsync(command, cancellation),
    };

    private async Task<CommandOutcome?> DiscardAsync(CommandRow command, long sequenceNumber, CancellationToken cancellation)
    {
        var found = await transactions.ReadAsync(
            store => store.FindDeadLettersAsync(context.Version, command.PersistenceId!, sequenceNumber, cancellation), cancellation).ConfigureAwait(false);
        if (found.Orderings.Count == 0)
            return await NoneAsync(command, areNone: !found.HasOthers, cancellation).ConfigureAwait(false);
        var done = Done(found.Orderings.Count, "discarded");
        await CommitAsync(
            new(offsets.Stay()) { RemovedDeadLetters = new(command.PersistenceId!, found.Orderings), Command = new(command.Id, done) }, cancellation).ConfigureAwait(false);
        deadLetterIds.Remove(command.PersistenceId!, found.Orderings.Count, areAll: !found.HasOthers);
        return done;
    }

    private async Task<CommandOutcome?> DiscardAllAsync(CommandRow command, CancellationToken cancellation)
    {
        var (page, isLast) = await ReadAsync(command, cancellation).ConfigureAwait(false);
        if (page.Count == 0)
            return await NoneAsync(command, areNone: true, cancellation).ConfigureAwait(false);
        var discarded = _handled.GetValueOrDefault(command.Id) + page.Count;
        var done = isLast ? Done(discarded, "discarded") : null;
        await CommitAsync(
            new(offsets.Stay()) { RemovedDeadLetters = DeadLetterRemoval.Of(page), Command = new(command.Id, done) }, cancellation).ConfigureAwait(false);
        deadLetterIds.Remove(command.PersistenceId!, page.Count, areAll: isLast);
        _handled[command.Id] = discarded;
        return done;
    }

    private async Task<CommandOutcome?> RetryAsync(CommandRow command, CancellationToken cancellation)
    {
        var (rows, areAll) = await ReadAsync(command, cancellation).ConfigureAwait(false);
        if (rows.Count == 0)
            return await NoneAsync(command, areNone: true, cancellation).ConfigureAwait(false);
        if (command.SequenceNumber is { } number && rows[0].Event.SequenceNumber != number)
            return await EndAsync(command, NotFirst(command, rows[0]), cancellation).ConfigureAwait(false);
        var retried = _handled.GetValueOrDefault(command.Id);
        var page = command.SequenceNumber is null ? rows : [rows[0]];
        var done = areAll || command.SequenceNumber is not null ? Done(retried + page.Count, "retried") : null;
        using var activity = context.Telemetry.StartBatch(lane, page.Count);
        if (await writer.WriteAsync(LaneBatch.OfRetry(page, new(command.Id, done), context.DecodeInSource), cancellation).ConfigureAwait(false) is { } failed)
        {
            activity.SetFailed(failed.Cause);
            return await FailedAgainAsync(command, page[failed.Index], retried + failed.Index, failed.Cause, cancellation).ConfigureAwait(false);
        }
        _handled[command.Id] = retried + page.Count;
        // The writer has counted them.
        deadLetterIds.Remove(command.PersistenceId!, 0, areAll && page.Count == rows.Count);
        return done;
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
            Command = new(command.Id, refused),
        };
        await CommitAsync(write, cancellation).ConfigureAwait(false);
        return refused;
    }

    private async Task<CommandOutcome?> NoneAsync(CommandRow command, bool areNone, CancellationToken cancellation)
    {
        // Corrects the lane's own list: without a dead letter, no event of the id may queue.
        if (areNone)
            deadLetterIds.Remove(command.PersistenceId!, 0, areAll: true);
        // Another command may have removed the rest between two parts of this one.
        var outcome = _handled.TryGetValue(command.Id, out var handled)
            ? Done(handled, command.Verb == CommandVerb.Retry ? "retried" : "discarded")
            : NoneOf(command);
        return await EndAsync(command, outcome, cancellation).ConfigureAwait(false);
    }

    private async Task<CommandOutcome?> EndAsync(CommandRow command, CommandOutcome outcome, CancellationToken cancellation)
    {
        await CommitAsync(new(offsets.Stay()) { Command = new(command.Id, outcome) }, cancellation).ConfigureAwait(false);
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
