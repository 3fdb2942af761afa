using System.Collections.Concurrent;
using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

internal sealed class ProjectionStore(ReadModelDatabase readModel) : IProjectionStore
{
    private readonly ConcurrentDictionary<string, CommandBacklog> _commands = new(StringComparer.Ordinal);

    public Task CreateTablesAsync(CancellationToken cancellation) => new StoreSchema(readModel).UpdateAsync(cancellation);

    public async Task<string?> WaitingReadsAsync(CancellationToken cancellation) => readModel.Dialect.WaitingReads is { } sql
        ? (await readModel.ReadAsync(t => t.ReadAsync(sql, row => row.GetString(0)), cancellation).ConfigureAwait(false)).SingleOrDefault()
        : null;

    public Task<ProjectionSnapshot> ReadAsync(string name, int maxCommands, CancellationToken cancellation) => readModel.ReadAsync(
        async transaction =>
        {
            var versions = await VersionTable.ReadAsync(transaction, name).ConfigureAwait(false);
            var lanes = await LaneTable.ReadAsync(transaction, name).ConfigureAwait(false);
            var processes = await ProcessTable.ReadAsync(transaction, name).ConfigureAwait(false);
            var known = _commands.GetValueOrDefault(name, CommandBacklog.Empty);
            var (next, commands) = await known.ReadAsync(transaction, name, maxCommands, versions, lanes).ConfigureAwait(false);
            _commands[name] = next;
            return new ProjectionSnapshot(versions, lanes, processes, commands);
        },
        cancellation);

    public Task<bool> CreateVersionAsync(
        VersionRow version, SliceRange slices, Func<ReadModelScope, CancellationToken, Task> prepare, CommandRow? command, CancellationToken cancellation) =>
        readModel.WriteAsync(t => VersionChanges.CreateAsync(t, version, slices, prepare, command), cancellation);

    public Task LayOutAsync(VersionRow version, SliceRange slices, LaneLayout lanes, CommandRow? command, CancellationToken cancellation) =>
        readModel.WriteAsync(t => VersionChanges.LayOutAsync(t, version, slices, lanes, command), cancellation);

    public Task RenewAsync(
        string name, string process, TimeSpan lease, IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> reports, CancellationToken cancellation) =>
        readModel.WriteAsync(
            async transaction =>
            {
                await ProcessTable.RenewAsync(transaction, name, process, lease).ConfigureAwait(false);
                foreach (var (version, lanes) in reports.OrderBy(report => report.Key, StringComparer.Ordinal))
                    await LaneTable.RenewAsync(transaction, version, process, lease, lanes).ConfigureAwait(false);
            },
            cancellation);

    public Task<IReadOnlyCollection<int>> ClaimAsync(
        string version, long epoch, IReadOnlyCollection<int> lanes, string process, TimeSpan lease, CancellationToken cancellation) =>
        readModel.WriteAsync<IReadOnlyCollection<int>>(
            async t => await LaneTable.ClaimAsync(t, version, epoch, lanes, process, lease).ConfigureAwait(false), cancellation);

    public Task ReleaseAsync(string version, IReadOnlyList<int> lanes, string process, CancellationToken cancellation) =>
        readModel.WriteAsync(t => LaneTable.ReleaseAsync(t, version, lanes, process), cancellation);

    public Task LeaveAsync(string name, string process, CancellationToken cancellation) => readModel.WriteAsync(
        async transaction =>
        {
            await ProcessTable.LeaveAsync(transaction, name, process).ConfigureAwait(false);
            await LaneTable.LeaveAsync(transaction, name, process).ConfigureAwait(false);
        },
        cancellation);

    public Task SetJournalEndAsync(string version, int shard, long journalEnd, CancellationToken cancellation) =>
        readModel.WriteAsync(t => ShardTable.SetJournalEndAsync(t, version, shard, journalEnd), cancellation);

    public Task SetHistoryEndAsync(string version, long epoch, SliceRange shard, long end, CancellationToken cancellation) => readModel.WriteAsync(
        async transaction =>
        {
            var row = await VersionTable.LockAsync(transaction, version).ConfigureAwait(false);
            if (row.Epoch == epoch)
                await VersionTable.UpdateAsync(transaction, row with { History = row.History.EndingAt(shard, end) }).ConfigureAwait(false);
        },
        cancellation);

    public Task<CommandOutcome> ResetAsync(
        CommandRow command, JournalPoint to, Func<ReadModelScope, CancellationToken, Task>? prepare, CancellationToken cancellation) =>
        readModel.WriteAsync(t => VersionChanges.ResetAsync(t, command, to, prepare), cancellation);

    public Task SwapAsync(CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap, CancellationToken cancellation) =>
        readModel.WriteAsync(t => VersionChanges.SwapAsync(t, command, from, swap), cancellation);

    public Task DropAsync(CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop, CancellationToken cancellation) =>
        readModel.WriteAsync(t => VersionChanges.DropAsync(t, command, drop), cancellation);

    public Task<bool> RefuseAsync(CommandRow command, string reason, CancellationToken cancellation) => readModel.WriteAsync(
        t => CommandTable.TryEndAsync(t, command.Id, CommandOutcome.Refused(reason)), cancellation);

    public Task<LaneCheckpoint> ReadLaneAsync(string version, SliceRange slices, CancellationToken cancellation) =>
        readModel.ReadAsync(t => ReadLaneAsync(t, version, slices), cancellation);

    public Task<IReadOnlyList<DeadLetter>> ReadDeadLettersAsync(string version, string persistenceId, int limit, CancellationToken cancellation) =>
        readModel.ReadAsync<IReadOnlyList<DeadLetter>>(
            async t => await DeadLetterTable.ReadAsync(t, version, persistenceId, limit).ConfigureAwait(false), cancellation);

    public Task<DeadLettersFound> FindDeadLettersAsync(string version, string persistenceId, long sequenceNumber, CancellationToken cancellation) =>
        readModel.ReadAsync(t => DeadLetterTable.FindAsync(t, version, persistenceId, sequenceNumber), cancellation);

    public async Task<ILaneTransaction> BeginAsync(string version, long epoch, CancellationToken cancellation) =>
        new LaneTransaction(await DatabaseTransaction.BeginAsync(readModel, cancellation).ConfigureAwait(false), version, epoch);

    public bool IsTransient(Exception error) => TransientErrors.Include(error);

    private static async Task<LaneCheckpoint> ReadLaneAsync(DatabaseTransaction transaction, string version, SliceRange slices)
    {
        var rows = await OffsetTable.ReadAsync(transaction, version, slices).ConfigureAwait(false);
        SliceOffset[] offsets = [.. rows.Select(row => row.Position)];
        if (!OffsetTable.Cover(offsets, slices) || rows.Select(row => row.Epoch).Distinct().Count() != 1)
            throw new FencedException(FormattableString.Invariant($"The offsets of '{version}' do not cover slices {slices.First}-{slices.Last}: its lanes were divided anew, or rows are missing."));
        var failed = await DeadLetterTable.CountAsync(transaction, version, slices).ConfigureAwait(false);
        return new(rows[0].Epoch, offsets, [.. failed.Select(id => id.Id)], failed.Sum(id => id.Count))
        {
            IsPaused = (await VersionTable.ReadOneAsync(transaction, version).ConfigureAwait(false)).IsPaused,
        };
    }
}

internal sealed class LaneTransaction(DatabaseTransaction transaction, string version, long epoch) : ILaneTransaction
{
    private OffsetMove? _moved;

    public DbTransaction Transaction => transaction.ForHandler;

    public Task MoveAsync(OffsetMove move)
    {
        _moved = move;
        return OffsetTable.MoveAsync(transaction, version, epoch, move);
    }

    public async Task CountUnhandledAsync(int events)
    {
        await transaction.CheckNotAbortedAsync().ConfigureAwait(false);
        await OffsetTable.CountAsync(transaction, version, _moved!.To[0].Slices.First, new(0, events)).ConfigureAwait(false);
    }

    public Task StoreDeadLettersAsync(IReadOnlyList<DeadLetter> deadLetters) =>
        DeadLetterTable.StoreAsync(transaction, version, deadLetters);

    public Task RemoveDeadLettersAsync(string persistenceId, IReadOnlyList<long> orderings) =>
        DeadLetterTable.RemoveAsync(transaction, version, persistenceId, orderings);

    public Task RecordCommandAsync(long id, CommandOutcome? outcome) =>
        outcome is null ? CommandTable.LockAsync(transaction, id) : CommandTable.EndAsync(transaction, id, outcome);

    public async Task<bool> HasFailedByAsync(Exception error) =>
        TransientErrors.Include(error) && transaction.Dialect.MayHaveThrown(error) && !await transaction.IsUsableAsync().ConfigureAwait(false);

    // A commit that was sent is not cancelled, because its result would be unknown.
    public Task CommitAsync() => transaction.CommitAsync(CancellationToken.None);

    public ValueTask DisposeAsync() => transaction.DisposeAsync();
}
