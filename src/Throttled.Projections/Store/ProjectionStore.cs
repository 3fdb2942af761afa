using System.Data.Common;
using Throttled.Journal;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

/// <summary>The tables of projections in a read model's database.</summary>
internal sealed class ProjectionStore(ReadModelDatabase readModel) : IProjectionStore
{
    public Task CreateTablesAsync(CancellationToken cancellation) => new StoreSchema(readModel).UpdateAsync(cancellation);

    public Task<ProjectionSnapshot> ReadAsync(string name, int maxCommands, CancellationToken cancellation) => readModel.ReadAsync(
        async transaction => new ProjectionSnapshot(
            await VersionTable.ReadAsync(transaction, name, cancellation).ConfigureAwait(false),
            await LaneTable.ReadAsync(transaction, name, cancellation).ConfigureAwait(false),
            await ProcessTable.ReadAsync(transaction, name, cancellation).ConfigureAwait(false),
            await CommandTable.ReadAsync(transaction, name, maxCommands, cancellation).ConfigureAwait(false)),
        cancellation);

    public Task<bool> CreateVersionAsync(
        VersionRow version, SliceRange slices, Func<ReadModelScope, CancellationToken, Task> prepare, CommandRow? command, CancellationToken cancellation) =>
        readModel.WriteAsync(t => VersionChanges.CreateAsync(t, version, slices, prepare, command, cancellation), cancellation);

    public Task LayOutAsync(VersionRow version, SliceRange slices, LaneLayout lanes, CommandRow? command, CancellationToken cancellation) =>
        readModel.WriteAsync(t => VersionChanges.LayOutAsync(t, version, slices, lanes, command, cancellation), cancellation);

    public Task RenewAsync(
        string name, string process, TimeSpan lease, IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> reports, CancellationToken cancellation) =>
        readModel.WriteAsync(
            async transaction =>
            {
                await ProcessTable.RenewAsync(transaction, name, process, lease, cancellation).ConfigureAwait(false);
                foreach (var (version, lanes) in reports.OrderBy(report => report.Key, StringComparer.Ordinal))
                    await LaneTable.RenewAsync(transaction, version, process, lease, lanes, cancellation).ConfigureAwait(false);
            },
            cancellation);

    public Task<IReadOnlyCollection<int>> ClaimAsync(
        string version, long epoch, IReadOnlyCollection<int> lanes, string process, TimeSpan lease, CancellationToken cancellation) =>
        readModel.WriteAsync<IReadOnlyCollection<int>>(
            async t => await LaneTable.ClaimAsync(t, version, epoch, lanes, process, lease, cancellation).ConfigureAwait(false), cancellation);

    public Task ReleaseAsync(string version, IReadOnlyList<int> lanes, string process, CancellationToken cancellation) =>
        readModel.WriteAsync(t => LaneTable.ReleaseAsync(t, version, lanes, process, cancellation), cancellation);

    public Task LeaveAsync(string name, string process, CancellationToken cancellation) => readModel.WriteAsync(
        async transaction =>
        {
            await ProcessTable.LeaveAsync(transaction, name, process, cancellation).ConfigureAwait(false);
            await LaneTable.LeaveAsync(transaction, name, process, cancellation).ConfigureAwait(false);
        },
        cancellation);

    public Task SetJournalEndAsync(string version, int shard, long journalEnd, CancellationToken cancellation) =>
        readModel.WriteAsync(t => ShardTable.SetJournalEndAsync(t, version, shard, journalEnd, cancellation), cancellation);

    public Task ResetAsync(
        CommandRow command, ResetPoint to, Func<ReadModelScope, CancellationToken, Task>? prepare, CancellationToken cancellation) =>
        readModel.WriteAsync(t => VersionChanges.ResetAsync(t, command, to, prepare, cancellation), cancellation);

    public Task SwapAsync(CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap, CancellationToken cancellation) =>
        readModel.WriteAsync(t => VersionChanges.SwapAsync(t, command, from, swap, cancellation), cancellation);

    public Task DropAsync(CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop, CancellationToken cancellation) =>
        readModel.WriteAsync(t => VersionChanges.DropAsync(t, command, drop, cancellation), cancellation);

    public Task<bool> RefuseAsync(CommandRow command, string reason, CancellationToken cancellation) => readModel.WriteAsync(
        t => CommandTable.TryEndAsync(t, command.Id, CommandOutcome.Refused(reason), cancellation), cancellation);

    public Task<LaneCheckpoint> ReadLaneAsync(string version, SliceRange slices, CancellationToken cancellation) =>
        readModel.ReadAsync(t => ReadLaneAsync(t, version, slices, cancellation), cancellation);

    public Task<IReadOnlyList<DeadLetter>> ReadDeadLettersAsync(string version, string persistenceId, int limit, CancellationToken cancellation) =>
        readModel.ReadAsync<IReadOnlyList<DeadLetter>>(
            async t => await DeadLetterTable.ReadAsync(t, version, persistenceId, limit, cancellation).ConfigureAwait(false), cancellation);

    public Task<DeadLettersFound> FindDeadLettersAsync(string version, string persistenceId, long sequenceNumber, CancellationToken cancellation) =>
        readModel.ReadAsync(t => DeadLetterTable.FindAsync(t, version, persistenceId, sequenceNumber, cancellation), cancellation);

    public async Task<ILaneTransaction> BeginAsync(string version, long epoch, CancellationToken cancellation) =>
        new LaneTransaction(await DatabaseTransaction.BeginAsync(readModel, cancellation).ConfigureAwait(false), version, epoch);

    public bool IsTransient(Exception error) => TransientErrors.Include(error);

    private static async Task<LaneCheckpoint> ReadLaneAsync(
        DatabaseTransaction transaction, string version, SliceRange slices, CancellationToken cancellation)
    {
        var rows = await OffsetTable.ReadAsync(transaction, version, slices, cancellation).ConfigureAwait(false);
        SliceOffset[] offsets = [.. rows.Select(row => row.Position)];
        if (!OffsetTable.Cover(offsets, slices) || rows.Select(row => row.Epoch).Distinct().Count() != 1)
            throw new FencedException(FormattableString.Invariant($"The offsets of '{version}' do not cover slices {slices.First}-{slices.Last}: its lanes were divided anew, or rows are missing."));
        var parked = await DeadLetterTable.CountAsync(transaction, version, slices, cancellation).ConfigureAwait(false);
        return new(rows[0].Epoch, offsets, [.. parked.Select(id => id.Id)], parked.Sum(id => id.Count));
    }
}

internal sealed class LaneTransaction(DatabaseTransaction transaction, string version, long epoch) : ILaneTransaction
{
    private OffsetMove? _moved;

    public DbTransaction Transaction => transaction.ForHandler;

    public Task MoveAsync(OffsetMove move, CancellationToken cancellation)
    {
        _moved = move;
        return OffsetTable.MoveAsync(transaction, version, epoch, move, cancellation);
    }

    public async Task CountUnhandledAsync(int events, CancellationToken cancellation)
    {
        await transaction.CheckNotAbortedAsync(cancellation).ConfigureAwait(false);
        await OffsetTable.CountAsync(transaction, version, _moved!.To[0].Slices.First, new(0, events), cancellation).ConfigureAwait(false);
    }

    public Task StoreDeadLettersAsync(IReadOnlyList<DeadLetter> deadLetters, CancellationToken cancellation) =>
        DeadLetterTable.StoreAsync(transaction, version, deadLetters, cancellation);

    public Task RemoveDeadLettersAsync(string persistenceId, IReadOnlyList<long> orderings, CancellationToken cancellation) =>
        DeadLetterTable.RemoveAsync(transaction, version, persistenceId, orderings, cancellation);

    public Task EndCommandAsync(long id, CommandOutcome outcome, CancellationToken cancellation) =>
        CommandTable.EndAsync(transaction, id, outcome, cancellation);

    public async Task<bool> HasFailedByAsync(Exception error, CancellationToken cancellation) =>
        TransientErrors.Include(error) && !await transaction.IsUsableAsync(cancellation).ConfigureAwait(false);

    public Task CommitAsync(CancellationToken cancellation) => transaction.CommitAsync(cancellation);

    public ValueTask DisposeAsync() => transaction.DisposeAsync();
}
