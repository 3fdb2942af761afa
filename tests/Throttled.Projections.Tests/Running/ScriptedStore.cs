using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Running;

/// <summary>The connections of one process to the scripted tables. A call can be slow, fail before or after its effect, or never return.</summary>
internal sealed class ScriptedStore(ScriptedTables tables) : IProjectionStore
{
    /// <summary>The error of a call before its effect; null for none.</summary>
    internal Func<string, Exception?>? Fault { get; set; }

    /// <summary>The error of a call after its effect; null for none.</summary>
    internal Func<string, Exception?>? LateFault { get; set; }

    /// <summary>What a call waits for, before and after its effect; null for nothing.</summary>
    internal Func<string, Task>? Slow { get; set; }

    /// <summary>The process or its database is gone: no call returns, not even if it is cancelled.</summary>
    internal bool Hangs { get; set; }

    internal List<string> Calls { get; } = [];

    public Task CreateTablesAsync(CancellationToken cancellation) => DoAsync("tables", () => true, cancellation);

    /// <summary>What reads wait in; null for none.</summary>
    internal string? WaitingReads { get; set; }

    public Task<string?> WaitingReadsAsync(CancellationToken cancellation) => DoAsync("waiting reads", () => WaitingReads, cancellation);

    public Task<ProjectionSnapshot> ReadAsync(string name, int maxCommands, CancellationToken cancellation) =>
        DoAsync("read", () => tables.Read(name, maxCommands), cancellation);

    public async Task<bool> CreateVersionAsync(
        VersionRow version, SliceRange slices, Func<ReadModelScope, CancellationToken, Task> prepare, CommandRow? command, CancellationToken cancellation)
    {
        if (!tables.Versions.ContainsKey(version.Version))
            await prepare(new(version.Version, version.Role, null!, ReadModelDialect.Sqlite), cancellation);
        return await DoAsync("create", () => !tables.Versions.ContainsKey(version.Version) && Create(), cancellation);

        bool Create()
        {
            End(command);
            return tables.Versions.TryAdd(version.Version, new(version, slices));
        }
    }

    public Task LayOutAsync(VersionRow version, SliceRange slices, LaneLayout lanes, CommandRow? command, CancellationToken cancellation) =>
        DoAsync("layout", () =>
        {
            if (tables.Versions.GetValueOrDefault(version.Version) is not { } now || now.Row.Epoch != version.Epoch)
                throw new FencedException("Another epoch.");
            End(command);
            now.LayOut(lanes);
            return true;
        }, cancellation);

    public Task RenewAsync(
        string name, string process, TimeSpan lease, IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> reports, CancellationToken cancellation) =>
        DoAsync("renew", () =>
        {
            tables.Processes[process] = tables.Now + lease;
            foreach (var (version, lanes) in reports)
            {
                foreach (var report in lanes.Where(_ => tables.Versions.ContainsKey(version)))
                    Renew(tables.Versions[version], report, process, lease);
            }
            return true;
        }, cancellation);

    public Task<IReadOnlyCollection<int>> ClaimAsync(
        string version, long epoch, IReadOnlyCollection<int> lanes, string process, TimeSpan lease, CancellationToken cancellation) =>
        DoAsync<IReadOnlyCollection<int>>("claim", () =>
        {
            if (tables.Versions.GetValueOrDefault(version) is not { } at || at.Row.Epoch != epoch)
                return [];
            int[] free = [.. lanes.Where(lane => at.Lanes[lane].OwnerAt(tables.Now) is null)];
            foreach (var lane in free)
                (at.Lanes[lane].Owner, at.Lanes[lane].Until) = (process, tables.Now + lease);
            return free;
        }, cancellation);

    public Task ReleaseAsync(string version, IReadOnlyList<int> lanes, string process, CancellationToken cancellation) =>
        DoAsync("release", () =>
        {
            var all = tables.Versions.GetValueOrDefault(version)?.Lanes ?? [];
            foreach (var lane in all.Where((lane, number) => lanes.Contains(number) && lane.Owner == process))
                lane.Owner = null;
            return true;
        }, cancellation);

    public Task LeaveAsync(string name, string process, CancellationToken cancellation) =>
        DoAsync("leave", () =>
        {
            foreach (var lane in tables.Versions.Values.SelectMany(version => version.Lanes).Where(lane => lane.Owner == process))
                lane.Owner = null;
            return tables.Processes.Remove(process);
        }, cancellation);

    public Task SetJournalEndAsync(string version, int shard, long journalEnd, CancellationToken cancellation) =>
        DoAsync("journal end", () =>
        {
            tables.Change(version, row => row with { JournalEnds = [.. row.JournalEnds.Select((before, index) => index == shard ? journalEnd : before)] });
            return true;
        }, cancellation);

    public Task SetHistoryEndAsync(string version, long epoch, SliceRange shard, long end, CancellationToken cancellation) =>
        DoAsync("history", () =>
        {
            tables.Change(version, row => row.Epoch == epoch ? row with { History = row.History.EndingAt(shard, end) } : row);
            return true;
        }, cancellation);

    public async Task<CommandOutcome> ResetAsync(
        CommandRow command, JournalPoint to, Func<ReadModelScope, CancellationToken, Task>? prepare, CancellationToken cancellation)
    {
        if (prepare is not null)
            await prepare(new(command.Version, RoleOf(command.Version) ?? VersionRole.Live, null!, ReadModelDialect.Sqlite), cancellation);
        await DoAsync("reset", () =>
        {
            if (!tables.Versions.TryGetValue(command.Version, out var version))
                throw new FencedException("The row has changed.");
            End(command);
            tables.Change(command.Version, row => (row with { Epoch = row.Epoch + 1 }).StartingAfter(row.StartOn(row.Map).OrBefore(to)));
            foreach (var lane in version.Lanes)
                lane.Owner = null;
            foreach (var row in to.Rows)
                Array.Fill(version.At, row.Ordering, row.Slices.First, row.Slices.Count);
            return true;
        }, cancellation);
        return CommandResults.GoesOn(command.Version, to, prepare is not null);
    }

    public async Task SwapAsync(CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap, CancellationToken cancellation)
    {
        await swap(new(command.Version, VersionRole.Live, null!, ReadModelDialect.Sqlite), cancellation);
        await DoAsync("swap", () =>
        {
            if (RoleOf(from) != VersionRole.Live || RoleOf(command.Version) != VersionRole.Building)
                throw new FencedException("The row has changed.");
            End(command);
            tables.Change(from, row => row with { Role = VersionRole.Retired, Epoch = row.Epoch + 1 });
            tables.Change(command.Version, row => row with { Role = VersionRole.Live, Epoch = row.Epoch + 1 });
            return true;
        }, cancellation);
    }

    public async Task DropAsync(CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop, CancellationToken cancellation)
    {
        await drop(new(command.Version, VersionRole.Retired, null!, ReadModelDialect.Sqlite), cancellation);
        await DoAsync("drop", () =>
        {
            if (RoleOf(command.Version) is null or VersionRole.Live)
                throw new FencedException("The row has changed.");
            End(command);
            return tables.Versions.Remove(command.Version);
        }, cancellation);
    }

    public Task<bool> RefuseAsync(CommandRow command, string reason, CancellationToken cancellation) =>
        DoAsync("refuse", () =>
        {
            tables.End(command, CommandState.Refused, reason);
            return true;
        }, cancellation);

    public Task<LaneCheckpoint> ReadLaneAsync(string version, SliceRange slices, CancellationToken cancellation) =>
        DoAsync("lane", () => tables.ReadLane(version, slices), cancellation);

    public Task<IReadOnlyList<DeadLetter>> ReadDeadLettersAsync(string version, string persistenceId, int limit, CancellationToken cancellation) =>
        throw new NotSupportedException();

    public Task<DeadLettersFound> FindDeadLettersAsync(string version, string persistenceId, long sequenceNumber, CancellationToken cancellation) =>
        throw new NotSupportedException();

    public Task<ILaneTransaction> BeginAsync(string version, long epoch, CancellationToken cancellation) => throw new NotSupportedException();

    public bool IsTransient(Exception error) => error is TimeoutException;

    private void Renew(ScriptedVersion version, LaneReport report, string process, TimeSpan lease)
    {
        if (report.Lane >= version.Lanes.Length || version.Lanes[report.Lane].OwnerAt(tables.Now) != process)
            return;
        (version.Lanes[report.Lane].Until, version.Lanes[report.Lane].Report) = (tables.Now + lease, report);
    }

    private VersionRole? RoleOf(string version) => tables.Versions.GetValueOrDefault(version)?.Row.Role;

    private void End(CommandRow? command)
    {
        if (command is not null)
            tables.End(command, CommandState.Done, null);
    }

    private async Task<T> DoAsync<T>(string call, Func<T> effect, CancellationToken cancellation)
    {
        Calls.Add(call);
        cancellation.ThrowIfCancellationRequested();
        await WaitAsync(call);
        if (Fault?.Invoke(call) is { } fault)
            throw fault;
        var result = effect();
        await WaitAsync(call);
        if (LateFault?.Invoke(call) is { } late)
            throw late;
        return result;
    }

    private async Task WaitAsync(string call)
    {
        if (Slow is not null)
            await Slow(call).ConfigureAwait(false);
        if (Hangs)
            await new TaskCompletionSource().Task.ConfigureAwait(false);
    }
}
