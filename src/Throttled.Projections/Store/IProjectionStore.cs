using Throttled.Journal;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

/// <summary>What a process needs of the read model's database to share a projection with others. Thread-safe.</summary>
internal interface IProjectionStore : ILaneStore
{
    /// <summary>Makes the tables and the view where they are not there, and brings older ones up to date. Several processes may do so at once.</summary>
    /// <exception cref="ProjectionException">A newer release has made them.</exception>
    Task CreateTablesAsync(CancellationToken cancellation);

    /// <summary>Reads everything of a projection, and at most <paramref name="maxCommands"/> commands.</summary>
    Task<ProjectionSnapshot> ReadAsync(string name, int maxCommands, CancellationToken cancellation);

    /// <summary>
    /// Makes a version with its lanes, all offsets at 0. Does nothing where there is one of its name already, of whatever projection.
    /// </summary>
    /// <param name="version">Its row; the epoch is above those of any target that had its name before.</param>
    /// <param name="slices">All its slices, divided among the lanes as its row says.</param>
    /// <param name="prepare">Makes the read model's tables, in the same transaction.</param>
    /// <param name="command">The command that asked for it, ended with it; null where none did.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>Whether it was made; the command has not ended where it was not.</returns>
    /// <exception cref="FencedException">The command has ended before.</exception>
    Task<bool> CreateVersionAsync(
        VersionRow version, SliceRange slices, Func<ReadModelScope, CancellationToken, Task> prepare, CommandRow? command, CancellationToken cancellation);

    /// <summary>
    /// Gives a version other lanes, in number or because the journal has other shards: a new epoch, so that whoever runs them is fenced; offsets are cut,
    /// none changes; nobody owns a lane.
    /// </summary>
    /// <param name="version">Its row as it is known.</param>
    /// <param name="slices">All its slices.</param>
    /// <param name="lanes">How they are divided from now on.</param>
    /// <param name="command">The command that asked for it, ended with it; null where none did.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="FencedException">The version has another epoch than <paramref name="version"/> says, or is not there.</exception>
    /// <exception cref="ProjectionException">Its offsets are of shards that are not comparable, and would have to be.</exception>
    Task LayOutAsync(VersionRow version, SliceRange slices, LaneLayout lanes, CommandRow? command, CancellationToken cancellation);

    /// <summary>Tells that a process is alive, and renews its claims on the lanes that it reports of and still owns.</summary>
    /// <param name="name">The projection.</param>
    /// <param name="process">The process.</param>
    /// <param name="lease">For how long, by the database's clock.</param>
    /// <param name="reports">Its lanes, by version.</param>
    /// <param name="cancellation">Gives up.</param>
    Task RenewAsync(
        string name, string process, TimeSpan lease, IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> reports, CancellationToken cancellation);

    /// <summary>Claims those of some lanes that nobody owns, or whose owner's claim has expired, of that epoch.</summary>
    /// <returns>Those that are the process's now.</returns>
    Task<IReadOnlyCollection<int>> ClaimAsync(
        string version, long epoch, IReadOnlyCollection<int> lanes, string process, TimeSpan lease, CancellationToken cancellation);

    /// <summary>Gives lanes back; those that are not the process's any more stay as they are.</summary>
    Task ReleaseAsync(string version, IReadOnlyList<int> lanes, string process, CancellationToken cancellation);

    /// <summary>The process is not alive any more; its claims end.</summary>
    Task LeaveAsync(string name, string process, CancellationToken cancellation);

    /// <summary>Stores the end of the journal, for the status.</summary>
    /// <param name="version">The version.</param>
    /// <param name="shard">The number of the shard whose end it is; null where the journal is not sharded.</param>
    /// <param name="journalEnd">The end.</param>
    /// <param name="cancellation">Gives up.</param>
    Task SetJournalEndAsync(string version, int? shard, long journalEnd, CancellationToken cancellation);

    /// <summary>
    /// Sets all offsets of a version, under a new epoch. Dead letters above them are removed, because their events come again.
    /// </summary>
    /// <param name="command">The command, ended with it.</param>
    /// <param name="to">Where it goes on.</param>
    /// <param name="prepare">Empties the read model in the same transaction; null where the reset is not to the start.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="FencedException">The version has other shards now.</exception>
    Task ResetAsync(
        CommandRow command, ResetPoint to, Func<ReadModelScope, CancellationToken, Task>? prepare, CancellationToken cancellation);

    /// <summary>
    /// Makes a version that is being rebuilt the live one, and the live one retired, under new epochs of both.
    /// </summary>
    /// <param name="command">The command, ended with it.</param>
    /// <param name="from">The version that is live.</param>
    /// <param name="swap">Turns readers, in the same transaction.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="FencedException">The roles are not so any more.</exception>
    Task SwapAsync(CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap, CancellationToken cancellation);

    /// <summary>Removes a version that is not live, with all its rows.</summary>
    Task DropAsync(CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop, CancellationToken cancellation);

    /// <summary>Ends a command that cannot be done.</summary>
    /// <returns>Whether it had not ended before.</returns>
    Task<bool> RefuseAsync(CommandRow command, string reason, CancellationToken cancellation);
}

/// <summary>A projection as its tables have it, read in one transaction.</summary>
/// <param name="Versions">Its read models.</param>
/// <param name="Lanes">Their lanes.</param>
/// <param name="Processes">The processes that are alive, in ordinal order.</param>
/// <param name="Commands">The oldest commands that wait, in order.</param>
internal sealed record ProjectionSnapshot(
    IReadOnlyList<VersionRow> Versions, IReadOnlyList<LaneRow> Lanes, IReadOnlyList<string> Processes, IReadOnlyList<CommandRow> Commands);
