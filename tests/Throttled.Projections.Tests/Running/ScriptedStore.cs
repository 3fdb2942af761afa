using Throttled.Journal;
using Throttled.Projections.Failures;
using Throttled.Projections.Positions;
using Throttled.Projections.Store;

namespace Throttled.Projections.Tests.Running;

/// <summary>One process's connections to the scripted tables: they can be slow, fail before or after they took effect, or hang for ever.</summary>
internal sealed class ScriptedStore(ScriptedTables tables) : IProjectionStore
{
    /// <summary>What a call meets before it takes effect; null where nothing.</summary>
    internal Func<string, Exception?>? Fault { get; set; }

    /// <summary>What a call meets when it has taken effect; null where nothing.</summary>
    internal Func<string, Exception?>? LateFault { get; set; }

    /// <summary>What a call waits for, before and after it takes effect; null where for nothing.</summary>
    internal Func<string, Task>? Slow { get; set; }

    /// <summary>The process is gone, or its database: no call comes back, not even when it is cancelled.</summary>
    internal bool Hangs { get; set; }

    internal List<string> Calls { get; } = [];

    public Task CreateTablesAsync(CancellationToken cancellation) => DoAsync("tables", () => true, cancellation);

    public Task<ProjectionSnapshot> ReadAsync(string name, int mostCommands, CancellationToken cancellation) =>
        DoAsync("read", () => tables.Read(name, mostCommands), cancellation);

    public async Task<bool> CreateTargetAsync(
        TargetRow target, SliceRange slices, Func<ReadModelScope, CancellationToken, Task> prepare, CommandRow? command, CancellationToken cancellation)
    {
        if (!tables.Targets.ContainsKey(target.Target))
            await prepare(new(target.Target, target.Role, null!), cancellation);
        return await DoAsync("create", () => !tables.Targets.ContainsKey(target.Target) && Create(), cancellation);

        bool Create()
        {
            End(command);
            return tables.Targets.TryAdd(target.Target, new(target, slices));
        }
    }

    public Task LayOutAsync(TargetRow target, SliceRange slices, LaneDivision lanes, CommandRow? command, CancellationToken cancellation) =>
        DoAsync("layout", () =>
        {
            if (tables.Targets.GetValueOrDefault(target.Target) is not { } now || now.Row.Epoch != target.Epoch)
                throw new FencedException("Another epoch.");
            End(command);
            now.LayOut(lanes);
            return true;
        }, cancellation);

    public Task RenewAsync(
        string name, string member, TimeSpan lease, IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> reports, CancellationToken cancellation) =>
        DoAsync("renew", () =>
        {
            tables.Members[member] = tables.Now + lease;
            foreach (var (target, lanes) in reports)
            {
                foreach (var report in lanes.Where(_ => tables.Targets.ContainsKey(target)))
                    Renew(tables.Targets[target], report, member, lease);
            }
            return true;
        }, cancellation);

    public Task<IReadOnlyCollection<int>> ClaimAsync(
        string target, long epoch, IReadOnlyCollection<int> lanes, string member, TimeSpan lease, CancellationToken cancellation) =>
        DoAsync<IReadOnlyCollection<int>>("claim", () =>
        {
            if (tables.Targets.GetValueOrDefault(target) is not { } at || at.Row.Epoch != epoch)
                return [];
            int[] free = [.. lanes.Where(lane => at.Lanes[lane].OwnerAt(tables.Now) is null)];
            foreach (var lane in free)
                (at.Lanes[lane].Owner, at.Lanes[lane].Until) = (member, tables.Now + lease);
            return free;
        }, cancellation);

    public Task ReleaseAsync(string target, IReadOnlyList<int> lanes, string member, CancellationToken cancellation) =>
        DoAsync("release", () =>
        {
            var all = tables.Targets.GetValueOrDefault(target)?.Lanes ?? [];
            foreach (var lane in all.Where((lane, number) => lanes.Contains(number) && lane.Owner == member))
                lane.Owner = null;
            return true;
        }, cancellation);

    public Task LeaveAsync(string name, string member, CancellationToken cancellation) =>
        DoAsync("leave", () =>
        {
            foreach (var lane in tables.Targets.Values.SelectMany(target => target.Lanes).Where(lane => lane.Owner == member))
                lane.Owner = null;
            return tables.Members.Remove(member);
        }, cancellation);

    public Task SetHeadAsync(string target, int? shard, long head, CancellationToken cancellation) =>
        DoAsync("head", () =>
        {
            tables.Change(target, row => shard is { } number
                ? row with { Heads = [.. row.Heads.Select((before, index) => index == number ? head : before)] }
                : row with { Head = head });
            return true;
        }, cancellation);

    public async Task ResetAsync(
        CommandRow command, ResetPlace to, Func<ReadModelScope, CancellationToken, Task>? prepare, CancellationToken cancellation)
    {
        if (prepare is not null)
            await prepare(new(command.Target, RoleOf(command.Target) ?? TargetRole.Live, null!), cancellation);
        await DoAsync("reset", () =>
        {
            if (!tables.Targets.TryGetValue(command.Target, out var target))
                throw new FencedException("Not so any more.");
            End(command);
            tables.Change(command.Target, row => row with { Epoch = row.Epoch + 1 });
            foreach (var row in to.Rows)
                Array.Fill(target.At, row.Ordering, row.Slices.First, row.Slices.Count);
            return true;
        }, cancellation);
    }

    public async Task SwapAsync(CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap, CancellationToken cancellation)
    {
        await swap(new(command.Target, TargetRole.Live, null!), cancellation);
        await DoAsync("swap", () =>
        {
            if (RoleOf(from) != TargetRole.Live || RoleOf(command.Target) != TargetRole.Building)
                throw new FencedException("Not so any more.");
            End(command);
            tables.Change(from, row => row with { Role = TargetRole.Retired, Epoch = row.Epoch + 1 });
            tables.Change(command.Target, row => row with { Role = TargetRole.Live, Epoch = row.Epoch + 1 });
            return true;
        }, cancellation);
    }

    public async Task DropAsync(CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop, CancellationToken cancellation)
    {
        await drop(new(command.Target, TargetRole.Retired, null!), cancellation);
        await DoAsync("drop", () =>
        {
            if (RoleOf(command.Target) is null or TargetRole.Live)
                throw new FencedException("Not so any more.");
            End(command);
            return tables.Targets.Remove(command.Target);
        }, cancellation);
    }

    public Task<bool> RefuseAsync(CommandRow command, string reason, CancellationToken cancellation) =>
        DoAsync("refuse", () =>
        {
            tables.End(command, CommandState.Refused, reason);
            return true;
        }, cancellation);

    public Task<LaneRecord> ReadLaneAsync(string target, SliceRange slices, CancellationToken cancellation) =>
        DoAsync("lane", () => tables.ReadLane(target, slices), cancellation);

    public Task<IReadOnlyList<DeadLetterRow>> ReadLettersAsync(string target, string persistenceId, int most, CancellationToken cancellation) =>
        throw new NotSupportedException();

    public Task<LettersFound> FindLettersAsync(string target, string persistenceId, long sequenceNumber, CancellationToken cancellation) =>
        throw new NotSupportedException();

    public Task<ILaneTransaction> BeginAsync(string target, long epoch, CancellationToken cancellation) => throw new NotSupportedException();

    public bool IsTransient(Exception error) => error is TimeoutException;

    private void Renew(ScriptedTarget target, LaneReport report, string member, TimeSpan lease)
    {
        if (report.Lane >= target.Lanes.Length || target.Lanes[report.Lane].OwnerAt(tables.Now) != member)
            return;
        (target.Lanes[report.Lane].Until, target.Lanes[report.Lane].Report) = (tables.Now + lease, report);
    }

    private TargetRole? RoleOf(string target) => tables.Targets.GetValueOrDefault(target)?.Row.Role;

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
