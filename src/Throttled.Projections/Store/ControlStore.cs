using System.Data.Common;
using Throttled.Journal;

namespace Throttled.Projections.Store;

/// <summary>What those who operate projections need of the read model's database.</summary>
internal sealed class ControlStore(ReadModel readModel)
{
    private const string Waiting = nameof(CommandState.Waiting);
    private const string OfRange = "WHERE target = @target AND verb = @verb AND id BETWEEN @first AND @last";

    private readonly StoreSession _session = new(readModel);

    internal Task<IReadOnlyList<ProjectionStatus>> StatusAsync(string name, CancellationToken cancellation) =>
        LookAsync(t => StatusRows.ReadAsync(t, name, cancellation), cancellation);

    internal Task<IReadOnlyList<string>> NamesAsync(CancellationToken cancellation) => LookAsync<string>(
        async t => [.. (await TargetsAsync(t, cancellation).ConfigureAwait(false)).Select(target => target.Name).Distinct().Order(StringComparer.Ordinal)], cancellation);

    internal Task PauseAsync(string target, CancellationToken cancellation) => UpdateAsync(target, "paused = true", cancellation);

    internal Task ResumeAsync(string target, CancellationToken cancellation) =>
        UpdateAsync(target, "paused = false, resumes = resumes + 1", cancellation);

    internal Task<IReadOnlyList<DeadLetter>> LettersAsync(string target, string? persistenceId, int most, CancellationToken cancellation) =>
        ReadAsync<IReadOnlyList<DeadLetter>>(
            async t =>
            {
                await FindAsync(t, target, cancellation).ConfigureAwait(false);
                return await DeadLetterTable.ListAsync(t, target, persistenceId, most, cancellation).ConfigureAwait(false);
            },
            cancellation);

    /// <returns>The command's id.</returns>
    internal Task<long> InsertAsync(CommandRow command, CancellationToken cancellation) => WriteAsync(
        async t =>
        {
            var target = await FindAsync(t, command.Target, cancellation).ConfigureAwait(false);
            Allow(command.Verb, target);
            if (command.PersistenceId is { } id)
                await FindLetterAsync(t, target.Target, id, command.SequenceNumber, cancellation).ConfigureAwait(false);
            return await InsertAsync(t, target.Name, command, cancellation).ConfigureAwait(false);
        },
        cancellation);

    /// <returns>The command's id.</returns>
    internal Task<long> RebuildAsync(string name, string newTarget, CancellationToken cancellation) => WriteAsync(
        async t =>
        {
            var targets = await TargetsAsync(t, cancellation).ConfigureAwait(false);
            if (targets.FirstOrDefault(target => target.Target == newTarget) is { Target: not null } there)
                throw new ProjectionException($"The read model '{newTarget}' of the projection '{there.Name}' is there already ({there.Role}). Drop it, or take another name.");
            var names = targets.Select(target => target.Name).Distinct().ToList();
            if (!names.Contains(name))
                throw new ProjectionException($"There is no projection '{name}' in this database; there {Listed(names, "is no projection", "are")}.");
            return await InsertAsync(t, name, new(0, newTarget, CommandVerb.Rebuild), cancellation).ConfigureAwait(false);
        },
        cancellation);

    /// <summary>One command for each id that has dead letters.</summary>
    internal Task<CommandRange> InsertAllAsync(string target, CommandVerb verb, CancellationToken cancellation) => WriteAsync(
        async t =>
        {
            var (name, _, _) = await FindAsync(t, target, cancellation).ConfigureAwait(false);
            await CommandTable.ForgetAsync(t, cancellation).ConfigureAwait(false);
            var ids = await t.ReadAsync(
                $"""
                INSERT INTO {StoreTables.Command} (name, target, verb, persistence_id, slice, state, created_at)
                SELECT @name, target, @verb, persistence_id, slice, '{Waiting}', {t.Spelling.Now}
                FROM (SELECT DISTINCT target, persistence_id, slice FROM {StoreTables.DeadLetter} WHERE target = @target) AS d
                RETURNING id
                """,
                row => row.GetInt64(0), cancellation, ("name", name), ("verb", verb.ToString()), ("target", target)).ConfigureAwait(false);
            return new CommandRange(target, verb, ids.Count, ids.DefaultIfEmpty().Min(), ids.DefaultIfEmpty().Max());
        },
        cancellation);

    internal Task<(CommandState State, string Result)> OutcomeAsync(long id, CancellationToken cancellation) => ReadAsync(
        async t => (await t.ReadAsync(
            $"SELECT state, result FROM {StoreTables.Command} WHERE id = @id",
            row => (Enum.Parse<CommandState>(row.GetString(0)), row.TextOrNull(1) ?? ""), cancellation, ("id", id)).ConfigureAwait(false))
            .SingleOrDefault((CommandState.Refused, "The command is not there any more: its row was deleted.")),
        cancellation);

    internal Task<long> CountWaitingAsync(CommandRange commands, CancellationToken cancellation) => ReadAsync(
        async t => (await t.ReadAsync(
            $"SELECT count(*) FROM {StoreTables.Command} {OfRange} AND state = '{Waiting}'",
            row => row.GetInt64(0), cancellation, commands.Parameters).ConfigureAwait(false))[0],
        cancellation);

    /// <summary>The results of those that were refused, each with its id.</summary>
    internal Task<List<string>> RefusalsAsync(CommandRange commands, CancellationToken cancellation) => ReadAsync(
        t => t.ReadAsync(
            $"SELECT persistence_id, result FROM {StoreTables.Command} {OfRange} AND state = '{nameof(CommandState.Refused)}' ORDER BY id",
            row => $"'{row.GetString(0)}': {row.TextOrNull(1)}", cancellation, commands.Parameters),
        cancellation);

    private static Task<List<(string Name, string Target, TargetRole Role)>> TargetsAsync(StoreTransaction transaction, CancellationToken cancellation) =>
        transaction.ReadAsync(
            $"SELECT name, target, role FROM {StoreTables.Projection} ORDER BY target",
            row => (row.GetString(0), row.GetString(1), Enum.Parse<TargetRole>(row.GetString(2))), cancellation);

    private static async Task<(string Name, string Target, TargetRole Role)> FindAsync(
        StoreTransaction transaction, string target, CancellationToken cancellation)
    {
        ArgumentException.ThrowIfNullOrEmpty(target);
        var targets = await TargetsAsync(transaction, cancellation).ConfigureAwait(false);
        var found = targets.FirstOrDefault(each => each.Target == target);
        return found.Target is not null ? found : throw Unknown(target, targets.Select(each => each.Target));
    }

    private static ProjectionException Unknown(string target, IEnumerable<string> targets) =>
        new($"There is no read model '{target}' in this database; there {Listed([.. targets], "is none", "are")}.");

    private static void Allow(CommandVerb verb, (string Name, string Target, TargetRole Role) target)
    {
        if (verb is (CommandVerb.Swap or CommandVerb.ForcedSwap) && target.Role != TargetRole.Building)
            throw new ProjectionException($"The read model '{target.Target}' is {target.Role}; only one that is {TargetRole.Building} can be swapped in. Rebuild first.");
        if (verb == CommandVerb.Drop && target.Role == TargetRole.Live)
            throw new ProjectionException($"The read model '{target.Target}' is {target.Role} and cannot be dropped. Swap another in first.");
    }

    private static async Task FindLetterAsync(
        StoreTransaction transaction, string target, string persistenceId, long? sequenceNumber, CancellationToken cancellation)
    {
        var numbers = await DeadLetterTable.NumbersAsync(transaction, target, persistenceId, cancellation).ConfigureAwait(false);
        if (numbers.Count == 0)
        {
            var ids = await DeadLetterTable.IdsAsync(transaction, target, cancellation).ConfigureAwait(false);
            throw new ProjectionException($"'{target}' keeps no dead letter of '{persistenceId}'; it keeps {Listed(ids, "none", "those of")}.");
        }
        if (sequenceNumber is { } number && !numbers.Contains(number))
        {
            throw new ProjectionException(FormattableString.Invariant(
                $"'{target}' keeps no dead letter {number} of '{persistenceId}'; it keeps {numbers.Count} of them, from {numbers[0]} to {numbers[^1]}."));
        }
    }

    private static string Listed(List<string> names, string none, string some)
    {
        const int most = 10;
        var listed = string.Join(", ", names.Take(most).Select(name => $"'{name}'"));
        return names.Count == 0 ? none : names.Count <= most ? $"{some} {listed}" : $"{some} {listed} and {names.Count - most} more";
    }

    private static async Task<long> InsertAsync(StoreTransaction transaction, string name, CommandRow command, CancellationToken cancellation)
    {
        await CommandTable.ForgetAsync(transaction, cancellation).ConfigureAwait(false);
        int? slice = command.PersistenceId is { } persistenceId ? JournalSlices.Of(persistenceId) : null;
        var ids = await transaction.ReadAsync(
            $"""
            INSERT INTO {StoreTables.Command} (name, target, verb, persistence_id, sequence_number, ordering, timestamp, place, slice, state, created_at)
            VALUES (@name, @target, @verb, @id, @number, @ordering, @timestamp, @place, @slice, '{Waiting}', {transaction.Spelling.Now})
            RETURNING id
            """,
            row => row.GetInt64(0), cancellation, ("name", name), ("target", command.Target), ("verb", command.Verb.ToString()),
            ("id", command.PersistenceId), ("number", command.SequenceNumber), ("ordering", command.Ordering),
            ("timestamp", command.Timestamp), ("place", command.Place), ("slice", slice)).ConfigureAwait(false);
        return ids[0];
    }

    private Task UpdateAsync(string target, string set, CancellationToken cancellation) => WriteAsync(
        async t =>
        {
            await FindAsync(t, target, cancellation).ConfigureAwait(false);
            return await t.ExecuteAsync(
                $"UPDATE {StoreTables.Projection} SET {set} WHERE target = @target", cancellation, ("target", target)).ConfigureAwait(false);
        },
        cancellation);

    private Task<T> ReadAsync<T>(Func<StoreTransaction, Task<T>> read, CancellationToken cancellation) =>
        ExplainedAsync(() => _session.ReadAsync(read, cancellation), cancellation);

    private Task<T> WriteAsync<T>(Func<StoreTransaction, Task<T>> write, CancellationToken cancellation) =>
        ExplainedAsync(() => _session.WriteAsync(write, cancellation), cancellation);

    // A projection that is about to be started for the first time is no error of who looks at it.
    private async Task<IReadOnlyList<T>> LookAsync<T>(Func<StoreTransaction, Task<IReadOnlyList<T>>> read, CancellationToken cancellation)
    {
        try
        {
            return await _session.ReadAsync(read, cancellation).ConfigureAwait(false);
        }
        catch (DbException error) when (!TransientFaults.Include(error))
        {
            // They may have been made meanwhile.
            return await _session.HasTablesAsync(cancellation).ConfigureAwait(false)
                ? await _session.ReadAsync(read, cancellation).ConfigureAwait(false)
                : [];
        }
    }

    private async Task<T> ExplainedAsync<T>(Func<Task<T>> call, CancellationToken cancellation)
    {
        try
        {
            return await call().ConfigureAwait(false);
        }
        catch (DbException error) when (!TransientFaults.Include(error))
        {
            if (await _session.HasTablesAsync(cancellation).ConfigureAwait(false))
                throw;
            throw new ProjectionException(
                $"The tables of projections ({StoreTables.Projection} and others) are not in this database. Start the projection once, or connect to its read model's database and schema.",
                error);
        }
    }
}
