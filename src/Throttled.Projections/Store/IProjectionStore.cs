using Throttled.Journal;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

/// <summary>The statements of a process that shares a projection with others, in the read model database. Thread-safe.</summary>
internal interface IProjectionStore : ILaneStore
{
    /// <summary>
    /// Creates the tables and the view if they do not exist, and brings older tables up to date. Several processes may call this at the same time.
    /// </summary>
    /// <exception cref="ProjectionException">A newer release has made the tables.</exception>
    Task CreateTablesAsync(CancellationToken cancellation);

    /// <summary>Reads the state of a projection, with at most <paramref name="maxCommands"/> commands.</summary>
    Task<ProjectionSnapshot> ReadAsync(string name, int maxCommands, CancellationToken cancellation);

    /// <summary>Creates a version with its lanes, all offsets at 0. Does nothing if any projection has a version of that name.</summary>
    /// <param name="version">Its row. The epoch is above those of earlier versions with the same name.</param>
    /// <param name="slices">All its slices. The row says among how many lanes they are divided.</param>
    /// <param name="prepare">Creates the read model's tables, in the same transaction.</param>
    /// <param name="command">The command that asked for it, which ends in the same transaction; null if there is none.</param>
    /// <param name="cancellation">Cancels the call.</param>
    /// <returns>False if the version was not created. The command has not ended then.</returns>
    /// <exception cref="FencedException">The command has already ended.</exception>
    Task<bool> CreateVersionAsync(
        VersionRow version, SliceRange slices, Func<ReadModelScope, CancellationToken, Task> prepare, CommandRow? command, CancellationToken cancellation);

    /// <summary>
    /// Gives a version other lanes, because their number or the journal's shards changed. The epoch is new, so running lanes are fenced. Offset rows
    /// are cut, but no offset changes. No lane has an owner afterwards.
    /// </summary>
    /// <param name="version">Its row as the caller knows it.</param>
    /// <param name="slices">All its slices.</param>
    /// <param name="lanes">The new lanes.</param>
    /// <param name="command">The command that asked for it, which ends in the same transaction; null if there is none.</param>
    /// <param name="cancellation">Cancels the call.</param>
    /// <exception cref="FencedException">The version has another epoch than <paramref name="version"/>, or does not exist.</exception>
    /// <exception cref="ProjectionException">Offsets of several shards would have to be compared, and cannot be.</exception>
    Task LayOutAsync(VersionRow version, SliceRange slices, LaneLayout lanes, CommandRow? command, CancellationToken cancellation);

    /// <summary>
    /// Renews the lease of a process, and its leases on those lanes in <paramref name="reports"/> that it still owns. The reports are by version. The
    /// lease is measured by the database's clock.
    /// </summary>
    Task RenewAsync(
        string name, string process, TimeSpan lease, IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> reports, CancellationToken cancellation);

    /// <summary>Claims those of the lanes that have no owner or whose lease has expired, if the version has that epoch.</summary>
    /// <returns>The lanes that the process owns now.</returns>
    Task<IReadOnlyCollection<int>> ClaimAsync(
        string version, long epoch, IReadOnlyCollection<int> lanes, string process, TimeSpan lease, CancellationToken cancellation);

    /// <summary>Releases lanes. Lanes that the process no longer owns stay as they are.</summary>
    Task ReleaseAsync(string version, IReadOnlyList<int> lanes, string process, CancellationToken cancellation);

    /// <summary>Removes a process and ends its leases.</summary>
    Task LeaveAsync(string name, string process, CancellationToken cancellation);

    /// <summary>Stores the end of a shard for the status.</summary>
    Task SetJournalEndAsync(string version, int shard, long journalEnd, CancellationToken cancellation);

    /// <summary>Sets all offsets of a version, under a new epoch. Dead letters above the offsets are removed, because their events come again.</summary>
    /// <param name="command">The command, which ends in the same transaction.</param>
    /// <param name="to">The new offsets.</param>
    /// <param name="prepare">Empties the read model in the same transaction; null if the reset is not to the start.</param>
    /// <param name="cancellation">Cancels the call.</param>
    /// <exception cref="FencedException">The version has other shards now.</exception>
    Task ResetAsync(
        CommandRow command, ResetPoint to, Func<ReadModelScope, CancellationToken, Task>? prepare, CancellationToken cancellation);

    /// <summary>
    /// Makes a version that is being rebuilt the live one, and retires the version <paramref name="from"/>. Both get new epochs. The command ends and
    /// <paramref name="swap"/> runs in the same transaction.
    /// </summary>
    /// <exception cref="FencedException">The versions no longer have the expected roles.</exception>
    Task SwapAsync(CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap, CancellationToken cancellation);

    /// <summary>Removes a version that is not live, with all its rows.</summary>
    Task DropAsync(CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop, CancellationToken cancellation);

    /// <summary>Refuses a command.</summary>
    /// <returns>False if the command had already ended.</returns>
    Task<bool> RefuseAsync(CommandRow command, string reason, CancellationToken cancellation);
}

/// <summary>The state of a projection, read in one transaction.</summary>
/// <param name="Versions">Its read models.</param>
/// <param name="Lanes">Their lanes.</param>
/// <param name="Processes">The processes that are alive, in ordinal order.</param>
/// <param name="Commands">The oldest waiting commands, in order.</param>
internal sealed record ProjectionSnapshot(
    IReadOnlyList<VersionRow> Versions, IReadOnlyList<LaneRow> Lanes, IReadOnlyList<string> Processes, IReadOnlyList<CommandRow> Commands);
