using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Tables;
using Throttled.Projections.Waits;

namespace Throttled.Projections.Store;

internal sealed class ControlStore(ReadModelDatabase readModel)
{
    /// <summary>Who gives the commands; null if it is not known.</summary>
    internal CommandOrigin? Origin { get; init; }

    internal Task<IReadOnlyList<ProjectionStatus>> StatusAsync(string name, CancellationToken cancellation) =>
        ReadOrEmptyAsync(t => StatusView.ReadAsync(t, name), cancellation);

    internal Task<IReadOnlyList<string>> NamesAsync(CancellationToken cancellation) => ReadOrEmptyAsync<string>(
        async t => [.. (await VersionNames.ReadAsync(t).ConfigureAwait(false)).Select(version => version.Projection).Distinct().Order(StringComparer.Ordinal)], cancellation);

    internal Task<PauseChange> PauseAsync(string name, string? version, CancellationToken cancellation) =>
        WriteAsync(t => PauseChange.PauseAsync(t, readModel, name, version, Origin), cancellation);

    internal Task<PauseProgress> PauseProgressAsync(string version, CancellationToken cancellation) => ReadAsync(t => PauseProgress.ReadAsync(t, version), cancellation);

    internal Task<PauseProgress> EndPauseAsync(string version, CancellationToken cancellation) => WriteAsync(t => PauseProgress.EndAsync(t, version), cancellation);

    internal Task<PauseChange> ResumeAsync(string name, string? version, CancellationToken cancellation) =>
        WriteAsync(t => PauseChange.ResumeAsync(t, readModel, name, version, Origin), cancellation);

    /// <summary>Returns what was withdrawn, for people.</summary>
    internal async Task<string> WithdrawAsync(string name, long id, CancellationToken cancellation)
    {
        var itself = Text(await FindCommandAsync(name, id, cancellation).ConfigureAwait(false));
        if (await WithdrawAsync(name, (long?)id, cancellation).ConfigureAwait(false) > 0)
            return $"{itself} is withdrawn.";
        // After the commit. The transaction itself could wait for the one that executes the command.
        var command = await FindCommandAsync(name, id, cancellation).ConfigureAwait(false);
        throw new ProjectionException(command.State == CommandState.Waiting ? $"{itself} is being executed now, so it cannot be withdrawn."
            : $"{itself} cannot be withdrawn: it is {VersionNames.Text(command.State)} already{(command.Result is { } result ? $" ({result.TrimEnd('.')})" : "")}.");
    }

    internal async Task<int> WithdrawAllAsync(string name, CancellationToken cancellation)
    {
        await ReadAsync(t => VersionNames.FindAsync(t, name, null), cancellation).ConfigureAwait(false);
        return await WithdrawAsync(name, null, cancellation).ConfigureAwait(false);
    }

    private Task<int> WithdrawAsync(string name, long? id, CancellationToken cancellation) =>
        WriteAsync(t => CommandTable.WithdrawAsync(t, name, id, WithdrawnBy), cancellation);

    private Task<ProjectionCommand> FindCommandAsync(string name, long id, CancellationToken cancellation) => ReadAsync(
        async t =>
        {
            await VersionNames.FindAsync(t, name, null).ConfigureAwait(false);
            return await CommandTable.FindAsync(t, name, id).ConfigureAwait(false) ?? throw new ProjectionException(FormattableString.Invariant(
                $"The projection '{name}' has no command {id}. {nameof(ProjectionControl.CommandsAsync)} lists its commands; ended ones are removed after seven days."));
        },
        cancellation);

    private static string Text(ProjectionCommand command) => FormattableString.Invariant($"Command {command.Id} ({command.Verb} of '{command.Version}')");

    private string WithdrawnBy => Origin is not { } by ? "The command was withdrawn."
        : $"The command was withdrawn by {by.User}{(by.Host is { } host ? $" on {host}" : "")}{(by.Reason is { } reason ? $": {reason}" : "")}.";

    internal Task<IReadOnlyList<ProjectionCommand>> CommandsAsync(string name, int limit, CancellationToken cancellation) =>
        ReadAsync<IReadOnlyList<ProjectionCommand>>(async t => await CommandTable.LastAsync(t, name, limit).ConfigureAwait(false), cancellation);

    internal Task<IReadOnlyList<DeadLetter>> DeadLettersAsync(string name, string? version, string? persistenceId, int limit, CancellationToken cancellation) =>
        ReadVersionAsync<IReadOnlyList<DeadLetter>>(
            name, version, async (t, found) => await DeadLetterTable.ReadAsync(t, found, persistenceId, limit).ConfigureAwait(false), cancellation);

    internal Task<List<FirstDeadLetter>> FirstDeadLettersAsync(string name, string? version, int limit, CancellationToken cancellation) =>
        ReadVersionAsync(name, version, (t, found) => DeadLetterTable.FirstOfIdsAsync(t, found, limit), cancellation);

    internal Task<DeadLetterQueue> DeadLetterQueueAsync(string name, string? version, string persistenceId, long? sequenceNumber, CancellationToken cancellation) => ReadVersionAsync(
        name, version,
        async (t, found) => new DeadLetterQueue(
            await DeadLetterTable.OneAsync(t, found, persistenceId, sequenceNumber).ConfigureAwait(false),
            await DeadLetterTable.NumbersAsync(t, found, persistenceId).ConfigureAwait(false)),
        cancellation);

    internal Task<long> InsertAsync(string name, string? version, CommandRow command, CancellationToken cancellation) => WriteAsync(
        async t =>
        {
            var found = await VersionNames.FindAsync(t, name, version).ConfigureAwait(false);
            found.Allow(command.Verb);
            if (command.PersistenceId is { } id)
                await FindDeadLetterAsync(t, found.Version, id, command.SequenceNumber).ConfigureAwait(false);
            return await CommandTable.InsertAsync(t, name, command with { Version = found.Version }, Origin).ConfigureAwait(false);
        },
        cancellation);

    internal Task<long> RebuildAsync(string name, string newVersion, CancellationToken cancellation) => WriteAsync(
        async t =>
        {
            await VersionNames.CheckNewAsync(t, name, newVersion).ConfigureAwait(false);
            return await CommandTable.InsertAsync(t, name, new(0, newVersion, CommandVerb.Rebuild), Origin).ConfigureAwait(false);
        },
        cancellation);

    internal Task<CommandRange> InsertAllAsync(string name, string? version, CommandVerb verb, CancellationToken cancellation) => WriteAsync(
        async t =>
        {
            var found = await VersionNames.FindAsync(t, name, version).ConfigureAwait(false);
            found.Allow(verb);
            return await CommandTable.InsertForDeadLettersAsync(t, name, found.Version, verb, Origin).ConfigureAwait(false);
        },
        cancellation);

    /// <summary>Ends each wait whose ordering the live version has reached.</summary>
    internal Task CheckAsync(string name, IReadOnlyList<OffsetWait> waits) => ReadAsync(
        async t =>
        {
            var live = (await VersionNames.FindAsync(t, name, null).ConfigureAwait(false)).Version;
            var offsets = await OffsetTable.OfLanesAsync(t, live).ConfigureAwait(false);
            var reached = waits.Where(wait => wait.IsReached(offsets)).ToList();
            var hasDeadLetters = reached.Exists(wait => wait.PersistenceId is not null) && await DeadLetterTable.AnyAsync(t, live).ConfigureAwait(false);
            foreach (var wait in reached)
                wait.End(hasDeadLetters ? await DeadLetterOfAsync(t, live, wait).ConfigureAwait(false) : null);
            return true;
        },
        CancellationToken.None);

    private static async Task<ProjectionException?> DeadLetterOfAsync(DatabaseTransaction transaction, string version, OffsetWait wait)
    {
        if (wait.PersistenceId is not { } id)
            return null;
        var first = (await DeadLetterTable.ReadAsync(transaction, version, id, 1).ConfigureAwait(false)).FirstOrDefault();
        return first is null || first.Event.Ordering > wait.Ordering ? null : new ProjectionException(first.Event.Ordering == wait.Ordering
            ? $"'{version}' has stored the event as a dead letter: {first.Error}"
            : $"'{version}' has not handled the event: it queues behind the dead letter {first.Event}. Retry or discard that dead letter.");
    }

    internal Task<CommandOutcome> OutcomeAsync(long id, CancellationToken cancellation) =>
        ReadAsync(t => CommandTable.OutcomeAsync(t, id), cancellation);

    internal Task<long> CountWaitingAsync(CommandRange commands, CancellationToken cancellation) =>
        ReadAsync(t => CommandTable.CountWaitingAsync(t, commands), cancellation);

    internal Task<List<string>> RefusalsAsync(CommandRange commands, CancellationToken cancellation) =>
        ReadAsync(t => CommandTable.RefusalsAsync(t, commands), cancellation);

    private static async Task FindDeadLetterAsync(DatabaseTransaction transaction, string version, string persistenceId, long? sequenceNumber)
    {
        var numbers = await DeadLetterTable.NumbersAsync(transaction, version, persistenceId).ConfigureAwait(false);
        if (numbers.Count == 0)
        {
            var ids = await DeadLetterTable.IdsAsync(transaction, version).ConfigureAwait(false);
            throw new ProjectionException($"'{version}' has no dead letter of '{persistenceId}'; it has {VersionNames.Listed(ids, "none", "those of")}.");
        }
        if (sequenceNumber is { } number && !numbers.Contains(number))
        {
            throw new ProjectionException(FormattableString.Invariant(
                $"'{version}' has no dead letter {number} of '{persistenceId}'; it has {numbers.Count} of them, from {numbers[0]} to {numbers[^1]}."));
        }
    }

    private Task<T> ReadVersionAsync<T>(string name, string? version, Func<DatabaseTransaction, string, Task<T>> read, CancellationToken cancellation) =>
        ReadAsync(async t => await read(t, (await VersionNames.FindAsync(t, name, version).ConfigureAwait(false)).Version).ConfigureAwait(false), cancellation);

    private Task<T> ReadAsync<T>(Func<DatabaseTransaction, Task<T>> read, CancellationToken cancellation) =>
        ExplainedAsync(() => readModel.ReadAsync(read, cancellation), cancellation);

    private Task<T> WriteAsync<T>(Func<DatabaseTransaction, Task<T>> write, CancellationToken cancellation) =>
        ExplainedAsync(() => readModel.WriteAsync(write, cancellation), cancellation);

    // A projection that never started is no error for a caller that only reads.
    private Task<IReadOnlyList<T>> ReadOrEmptyAsync<T>(Func<DatabaseTransaction, Task<IReadOnlyList<T>>> read, CancellationToken cancellation) => ExplainedAsync(
        async () =>
        {
            try
            {
                return await readModel.ReadAsync(read, cancellation).ConfigureAwait(false);
            }
            catch (DbException error) when (!TransientErrors.Include(error))
            {
                // Another process may have created the tables in the meantime.
                return await new StoreSchema(readModel).ReadAsync(cancellation).ConfigureAwait(false) > 0
                    ? await readModel.ReadAsync(read, cancellation).ConfigureAwait(false)
                    : [];
            }
        },
        cancellation);

    private async Task<T> ExplainedAsync<T>(Func<Task<T>> call, CancellationToken cancellation)
    {
        try
        {
            return await call().ConfigureAwait(false);
        }
        catch (DbException error) when (!TransientErrors.Include(error))
        {
            if (await new StoreSchema(readModel).ExplainAsync(cancellation).ConfigureAwait(false) is { } reason)
                throw new ProjectionException(reason, error);
            throw;
        }
    }
}
