using Throttled.Journal;
using Throttled.Projections.Failures;
using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

/// <summary>The tables of projections in a read model's database.</summary>
internal sealed class ProjectionStore(ReadModel readModel) : IProjectionStore
{
    private readonly StoreSession _session = new(readModel);

    public Task CreateTablesAsync(CancellationToken cancellation) => new StoreSchema(_session).UpdateAsync(cancellation);

    public Task<ProjectionSnapshot> ReadAsync(string name, int mostCommands, CancellationToken cancellation) => _session.ReadAsync(
        async transaction => new ProjectionSnapshot(
            await TargetTable.ReadAsync(transaction, name, cancellation).ConfigureAwait(false),
            await LaneTable.ReadAsync(transaction, name, cancellation).ConfigureAwait(false),
            await MemberTable.ReadAsync(transaction, name, cancellation).ConfigureAwait(false),
            await CommandTable.ReadAsync(transaction, name, mostCommands, cancellation).ConfigureAwait(false)),
        cancellation);

    public Task<bool> CreateTargetAsync(
        TargetRow target, SliceRange slices, Func<ReadModelScope, CancellationToken, Task> prepare, CommandRow? command, CancellationToken cancellation) =>
        _session.WriteAsync(t => TargetChanges.CreateAsync(t, target, slices, prepare, command, cancellation), cancellation);

    public Task LayOutAsync(TargetRow target, SliceRange slices, LaneDivision lanes, CommandRow? command, CancellationToken cancellation) =>
        _session.WriteAsync(t => TargetChanges.LayOutAsync(t, target, slices, lanes, command, cancellation), cancellation);

    public Task RenewAsync(
        string name, string member, TimeSpan lease, IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> reports, CancellationToken cancellation) =>
        _session.WriteAsync(
            async transaction =>
            {
                await MemberTable.RenewAsync(transaction, name, member, lease, cancellation).ConfigureAwait(false);
                foreach (var (target, lanes) in reports.OrderBy(report => report.Key, StringComparer.Ordinal))
                    await LaneTable.RenewAsync(transaction, target, member, lease, lanes, cancellation).ConfigureAwait(false);
            },
            cancellation);

    public Task<IReadOnlyCollection<int>> ClaimAsync(
        string target, long epoch, IReadOnlyCollection<int> lanes, string member, TimeSpan lease, CancellationToken cancellation) =>
        _session.WriteAsync<IReadOnlyCollection<int>>(
            async t => await LaneTable.ClaimAsync(t, target, epoch, lanes, member, lease, cancellation).ConfigureAwait(false), cancellation);

    public Task ReleaseAsync(string target, IReadOnlyList<int> lanes, string member, CancellationToken cancellation) =>
        _session.WriteAsync(t => LaneTable.ReleaseAsync(t, target, lanes, member, cancellation), cancellation);

    public Task LeaveAsync(string name, string member, CancellationToken cancellation) => _session.WriteAsync(
        async transaction =>
        {
            await MemberTable.LeaveAsync(transaction, name, member, cancellation).ConfigureAwait(false);
            await LaneTable.LeaveAsync(transaction, name, member, cancellation).ConfigureAwait(false);
        },
        cancellation);

    public Task SetHeadAsync(string target, int? shard, long head, CancellationToken cancellation) => _session.WriteAsync(
        t => shard is { } number
            ? ShardTable.SetHeadAsync(t, target, number, head, cancellation)
            : TargetTable.SetHeadAsync(t, target, head, cancellation),
        cancellation);

    public Task ResetAsync(
        CommandRow command, ResetPlace to, Func<ReadModelScope, CancellationToken, Task>? prepare, CancellationToken cancellation) =>
        _session.WriteAsync(t => TargetChanges.ResetAsync(t, command, to, prepare, cancellation), cancellation);

    public Task SwapAsync(CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap, CancellationToken cancellation) =>
        _session.WriteAsync(t => TargetChanges.SwapAsync(t, command, from, swap, cancellation), cancellation);

    public Task DropAsync(CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop, CancellationToken cancellation) =>
        _session.WriteAsync(t => TargetChanges.DropAsync(t, command, drop, cancellation), cancellation);

    public Task<bool> RefuseAsync(CommandRow command, string reason, CancellationToken cancellation) => _session.WriteAsync(
        t => CommandTable.TryEndAsync(t, command.Id, CommandState.Refused, reason, cancellation), cancellation);

    public Task<LaneRecord> ReadLaneAsync(string target, SliceRange slices, CancellationToken cancellation) =>
        _session.ReadAsync(t => ReadLaneAsync(t, target, slices, cancellation), cancellation);

    public Task<IReadOnlyList<DeadLetterRow>> ReadLettersAsync(string target, string persistenceId, int most, CancellationToken cancellation) =>
        _session.ReadAsync<IReadOnlyList<DeadLetterRow>>(
            async t => await DeadLetterTable.ReadAsync(t, target, persistenceId, most, cancellation).ConfigureAwait(false), cancellation);

    public Task<LettersFound> FindLettersAsync(string target, string persistenceId, long sequenceNumber, CancellationToken cancellation) =>
        _session.ReadAsync(t => DeadLetterTable.FindAsync(t, target, persistenceId, sequenceNumber, cancellation), cancellation);

    public async Task<ILaneTransaction> BeginAsync(string target, long epoch, CancellationToken cancellation) =>
        new LaneTransaction(await _session.BeginAsync(cancellation).ConfigureAwait(false), target, epoch);

    public bool IsTransient(Exception error) => TransientFaults.Include(error);

    private static async Task<LaneRecord> ReadLaneAsync(
        StoreTransaction transaction, string target, SliceRange slices, CancellationToken cancellation)
    {
        var rows = await PositionTable.ReadAsync(transaction, target, slices, cancellation).ConfigureAwait(false);
        StoredPosition[] positions = [.. rows.Select(row => row.Position)];
        if (!PositionTable.Cover(positions, slices) || rows.Select(row => row.Epoch).Distinct().Count() != 1)
            throw new FencedException(FormattableString.Invariant($"The offsets of '{target}' do not cover slices {slices.First}-{slices.Last}: its lanes were divided anew, or rows are missing."));
        var parked = await DeadLetterTable.CountAsync(transaction, target, slices, cancellation).ConfigureAwait(false);
        return new(rows[0].Epoch, positions, [.. parked.Select(id => id.Id)], parked.Sum(id => id.Count));
    }
}
