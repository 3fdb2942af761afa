using Throttled.Projections.Diagnostics;
using Throttled.Projections.Failures;
using Throttled.Projections.Positions;
using Throttled.Projections.Store;

namespace Throttled.Projections.Lanes;

/// <summary>
/// Retries and discards a lane's dead letters, between two of its batches: so the events of an id stay in order. What a command does and that it
/// is done is committed together.
/// </summary>
internal sealed class LaneCommands(LaneParts parts, int lane, LanePositions positions, ParkedIds parked, LaneTransactions transactions, LanePauses pauses)
{
    // The ordering of the last dead letter of the page that an at-least-once handler was given.
    private long _handedSingly;

    // The dead letters of the command's earlier pages.
    private int _retried;

    /// <exception cref="FencedException">The lane is not as its runner knows it any more.</exception>
    internal async Task ExecuteAsync(CommandRow command, CancellationToken cancellation)
    {
        var end = await ((command.Verb, command.SequenceNumber) switch
        {
            (CommandVerb.Retry, _) => RetryAsync(command, cancellation),
            (_, { } number) => DiscardAsync(command, number, cancellation),
            _ => DiscardAllAsync(command, cancellation),
        }).ConfigureAwait(false);
        parts.News.Executed(lane, command, end.State, end.Result);
    }

    private async Task<CommandEnd> DiscardAsync(CommandRow command, long sequenceNumber, CancellationToken cancellation)
    {
        var found = await transactions.ReadAsync(
            store => store.FindLettersAsync(parts.Target, command.PersistenceId!, sequenceNumber, cancellation), cancellation).ConfigureAwait(false);
        if (found.Orderings.Count == 0)
            return await NoneAsync(command, areNone: !found.HasOthers, cancellation).ConfigureAwait(false);
        var end = new CommandEnd(command, CommandState.Done, $"{Letters(found.Orderings.Count)} discarded");
        await CommitAsync(
            new(positions.Stay()) { Unparked = new(command.PersistenceId!, [.. found.Orderings]), Command = end }, cancellation).ConfigureAwait(false);
        parked.Remove(command.PersistenceId!, found.Orderings.Count, areAll: !found.HasOthers);
        return end;
    }

    private async Task<CommandEnd> DiscardAllAsync(CommandRow command, CancellationToken cancellation)
    {
        for (var discarded = 0; ;)
        {
            var letters = await ReadAsync(command, cancellation).ConfigureAwait(false);
            if (letters.Rows.Count == 0)
                return await NoneAsync(command, areNone: true, cancellation).ConfigureAwait(false);
            discarded += letters.Rows.Count;
            var end = letters.MoreFollow ? null : new CommandEnd(command, CommandState.Done, $"{Letters(discarded)} discarded");
            await CommitAsync(new(positions.Stay()) { Unparked = Removing(command, letters.Rows), Command = end }, cancellation).ConfigureAwait(false);
            parked.Remove(command.PersistenceId!, letters.Rows.Count, areAll: !letters.MoreFollow);
            if (end is not null)
                return end;
        }
    }

    private async Task<CommandEnd> RetryAsync(CommandRow command, CancellationToken cancellation)
    {
        _retried = 0;
        while (true)
        {
            var letters = await ReadAsync(command, cancellation).ConfigureAwait(false);
            if (letters.Rows.Count == 0)
                return await NoneAsync(command, areNone: true, cancellation).ConfigureAwait(false);
            if (command.SequenceNumber is { } number && letters.Rows[0].Stored.SequenceNumber != number)
                return await EndAsync(NotFirst(command, letters.Rows[0]), cancellation).ConfigureAwait(false);
            var page = command.SequenceNumber is null ? letters.Rows : [letters.Rows[0]];
            var isLast = !letters.MoreFollow || command.SequenceNumber is not null;
            var failed = await RetryAsync(command, page, isLast ? Retried(command, _retried + page.Count) : null, cancellation).ConfigureAwait(false);
            if (failed is not null)
                return failed;
            _retried += page.Count;
            parked.Remove(command.PersistenceId!, page.Count, !letters.MoreFollow && page.Count == letters.Rows.Count);
            if (isLast)
                return Retried(command, _retried);
        }
    }

    // A page in one transaction; where it fails, in smaller ones up to the one that does.
    private async Task<CommandEnd?> RetryAsync(
        CommandRow command, IReadOnlyList<DeadLetterRow> page, CommandEnd? end, CancellationToken cancellation)
    {
        var progress = new Bisection(page.Count, 1, FailurePolicy.Stop);
        var removed = 0;
        _handedSingly = 0;
        while (progress.Next is { } piece)
        {
            IReadOnlyList<DeadLetterRow> letters = [.. page.Skip(piece.From).Take(piece.Count)];
            var isLast = piece.To == page.Count;
            var failure = await TryAsync(command, letters, isLast ? end : null, cancellation).ConfigureAwait(false);
            if (failure is null)
            {
                removed += letters.Count;
                progress.Succeeded();
                continue;
            }
            if (progress.Failed(IndexOf(page, failure), failure.IsFinal) != FailureVerdict.Stop)
                continue;
            parked.Remove(command.PersistenceId!, removed, areAll: false);
            return await FailedAgainAsync(command, letters[0], _retried + removed, failure, cancellation).ConfigureAwait(false);
        }
        return null;
    }

    private async Task<EventFailure?> TryAsync(
        CommandRow command, IReadOnlyList<DeadLetterRow> letters, CommandEnd? end, CancellationToken cancellation)
    {
        var events = new List<ProjectionEvent>(letters.Count);
        foreach (var letter in letters)
        {
            var decoded = LaneEvent.Decode(letter.Stored, parts.Decode);
            if (decoded.Undecodable is { } error)
                return new(error, letter.Stored.Ordering, true);
            if (decoded.Payload is { } payload)
                events.Add(new(letter.Stored, payload));
        }
        if (await HandSinglyAsync(events, cancellation).ConfigureAwait(false) is { } failure)
            return failure;
        return await transactions.RunAsync(
            new(positions.Stay()) { Events = events, Unparked = Removing(command, letters), Command = end }, cancellation).ConfigureAwait(false);
    }

    // Each once, where one behind it fails and smaller ranges are tried.
    private async Task<EventFailure?> HandSinglyAsync(IReadOnlyList<ProjectionEvent> events, CancellationToken cancellation)
    {
        if (parts.Handler is not SingleHandler handler)
            return null;
        foreach (var handed in events.Where(each => each.Ordering > _handedSingly))
        {
            if (await SingleHandling.TryAsync(parts, handler, handed, pauses, cancellation).ConfigureAwait(false) is { } failure)
                return failure;
            _handedSingly = handed.Ordering;
        }
        return null;
    }

    private async Task<CommandEnd> FailedAgainAsync(
        CommandRow command, DeadLetterRow letter, int retried, EventFailure failure, CancellationToken cancellation)
    {
        var again = letter with { Error = failure.Cause.ToString(), Attempts = letter.Attempts + 1 };
        var end = new CommandEnd(
            command, CommandState.Refused,
            $"{Letters(retried)} retried; sequence number {letter.Stored.SequenceNumber} failed again: {ErrorText.Of(failure.Cause)}");
        // Replaced, not only put: where another runner has retried it meanwhile, it must not come back.
        await CommitAsync(new(positions.Stay()) { Unparked = Removing(command, [letter]), Parked = [again], Command = end }, cancellation).ConfigureAwait(false);
        return end;
    }

    private async Task<CommandEnd> NoneAsync(CommandRow command, bool areNone, CancellationToken cancellation)
    {
        // Whatever was known of the id: nothing queues behind nothing.
        if (areNone)
            parked.Remove(command.PersistenceId!, 0, areAll: true);
        return await EndAsync(NoneOf(command), cancellation).ConfigureAwait(false);
    }

    private async Task<CommandEnd> EndAsync(CommandEnd end, CancellationToken cancellation)
    {
        await CommitAsync(new(positions.Stay()) { Command = end }, cancellation).ConfigureAwait(false);
        return end;
    }

    private async Task CommitAsync(LaneWrite write, CancellationToken cancellation)
    {
        if (await transactions.RunAsync(write, cancellation).ConfigureAwait(false) is { } refused)
            throw new LaneStoppedException($"The database refuses to commit a command ({ErrorText.Of(refused.Cause)})", refused.Cause);
    }

    private async Task<LettersRead> ReadAsync(CommandRow command, CancellationToken cancellation)
    {
        var most = parts.Options.BatchSize;
        var rows = await transactions.ReadAsync(
            store => store.ReadLettersAsync(parts.Target, command.PersistenceId!, most + 1, cancellation), cancellation).ConfigureAwait(false);
        return rows.Count > most ? new([.. rows.Take(most)], true) : new(rows, false);
    }

    private static Unparking Removing(CommandRow command, IReadOnlyList<DeadLetterRow> letters) =>
        new(command.PersistenceId!, [.. letters.Select(letter => letter.Stored.Ordering)]);

    private static int? IndexOf(IReadOnlyList<DeadLetterRow> page, EventFailure failure)
    {
        for (var index = 0; index < page.Count; index++)
        {
            if (page[index].Stored.Ordering == failure.Ordering)
                return index;
        }
        return null;
    }

    private static CommandEnd Retried(CommandRow command, int letters) => new(command, CommandState.Done, $"{Letters(letters)} retried");

    private static CommandEnd NoneOf(CommandRow command) => new(
        command, CommandState.Refused,
        $"'{command.PersistenceId}' has no dead letter{(command.SequenceNumber is { } number ? $" with sequence number {number}" : "")}");

    private static CommandEnd NotFirst(CommandRow command, DeadLetterRow first) => new(
        command, CommandState.Refused,
        $"sequence number {command.SequenceNumber} of '{command.PersistenceId}' is not the first that waits: that is {first.Stored.SequenceNumber}; retry or discard it first");

    private static string Letters(int count) => count == 1 ? "1 event" : FormattableString.Invariant($"{count} events");

    private sealed record LettersRead(IReadOnlyList<DeadLetterRow> Rows, bool MoreFollow);
}
