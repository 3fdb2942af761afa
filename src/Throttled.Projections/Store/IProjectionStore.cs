using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

/// <summary>The statements of a process that shares a projection with others. Thread-safe.</summary>
internal interface IProjectionStore : ILaneStore
{
    /// <summary>Several processes may call this at the same time.</summary>
    Task CreateTablesAsync(CancellationToken cancellation);

    /// <summary>The name of the database in quotes, if it is set up so that reads wait for transactions that write; otherwise null.</summary>
    Task<string?> WaitingReadsAsync(CancellationToken cancellation);

    Task<ProjectionSnapshot> ReadAsync(string name, int maxCommands, CancellationToken cancellation);

    /// <summary>Creates a version with all offsets at its start, and ends the command. Returns false if any projection has a version of that name.</summary>
    Task<bool> CreateVersionAsync(
        VersionRow version, SliceRange slices, Func<ReadModelScope, CancellationToken, Task> prepare, CommandRow? command, CancellationToken cancellation);

    /// <summary>
    /// Gives a version other lanes, because their number or the journal's shards changed, and ends the command. The epoch is new, so running lanes are
    /// fenced. No offset changes. No lane has an owner afterwards.
    /// </summary>
    Task LayOutAsync(VersionRow version, SliceRange slices, LaneLayout lanes, CommandRow? command, CancellationToken cancellation);

    /// <summary>Renews the lease of a process, and its leases on those lanes in the reports that it still owns.</summary>
    Task RenewAsync(
        string name, string process, TimeSpan lease, IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> reports, CancellationToken cancellation);

    /// <summary>Claims those of the lanes that have no owner or whose lease has expired, if the version has that epoch.</summary>
    Task<IReadOnlyCollection<int>> ClaimAsync(
        string version, long epoch, IReadOnlyCollection<int> lanes, string process, TimeSpan lease, CancellationToken cancellation);

    /// <summary>Lanes that the process no longer owns stay as they are.</summary>
    Task ReleaseAsync(string version, IReadOnlyList<int> lanes, string process, CancellationToken cancellation);

    Task LeaveAsync(string name, string process, CancellationToken cancellation);

    Task SetJournalEndAsync(string version, int shard, long journalEnd, CancellationToken cancellation);

    /// <summary>Sets where the history of a shard ends, if it is not known yet and the version has that epoch.</summary>
    Task SetHistoryEndAsync(string version, long epoch, SliceRange shard, long end, CancellationToken cancellation);

    /// <summary>
    /// Sets all offsets of a version, under a new epoch, and ends the command. Dead letters above them are removed, because their events come again. No lane
    /// has an owner afterwards.
    /// </summary>
    Task<CommandOutcome> ResetAsync(
        CommandRow command, JournalPoint to, Func<ReadModelScope, CancellationToken, Task>? prepare, CancellationToken cancellation);

    /// <summary>Makes a rebuilt version the live one, retires another, and ends the command. Both get new epochs.</summary>
    Task SwapAsync(CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap, CancellationToken cancellation);

    Task DropAsync(CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop, CancellationToken cancellation);

    /// <summary>Returns false if the command had already ended.</summary>
    Task<bool> RefuseAsync(CommandRow command, string reason, CancellationToken cancellation);
}

/// <summary>The state of a projection, read in one transaction. Processes are alive; commands are the oldest that wait.</summary>
internal sealed record ProjectionSnapshot(
    IReadOnlyList<VersionRow> Versions, IReadOnlyList<LaneRow> Lanes, IReadOnlyList<string> Processes, IReadOnlyList<CommandRow> Commands);
