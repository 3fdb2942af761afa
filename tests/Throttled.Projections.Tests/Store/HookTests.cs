using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>What other processes do while the handler's hook changes a read model.</summary>
public sealed class HookTests
{
    [Theory, OnPostgreSql]
    public Task While_a_reset_empties_a_read_model_processes_renew_their_claims_and_store_the_journal_end(string database) => GoOnAsync(
        database, CommandVerb.Reset, (store, command, hook) => store.ResetAsync(command, TestReadModel.To(0), hook, default));

    [Theory, OnPostgreSql]
    public Task While_a_swap_turns_readers_processes_renew_their_claims_and_store_the_journal_end(string database) => GoOnAsync(
        database, CommandVerb.Swap, (store, command, hook) => store.SwapAsync(command, "accounts", hook, default), "new");

    [Theory, OnPostgreSql]
    public Task While_a_read_model_is_dropped_processes_renew_their_claims_and_store_the_journal_end(string database) => GoOnAsync(
        database, CommandVerb.Drop, (store, command, hook) => store.DropAsync(command, hook, default), "new");

    private static async Task GoOnAsync(
        string database, CommandVerb verb, Func<IProjectionStore, CommandRow, Func<ReadModelScope, CancellationToken, Task>, Task> change, string version = "accounts")
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.VersionAsync("new", role: VersionRole.Building);
        var command = await readModel.CommandAsync(verb, version);
        var (entered, released) = (new TaskCompletionSource(), new TaskCompletionSource());
        var changing = change(new ProjectionStore(readModel.OfAnotherProcess()), command, async (_, _) =>
        {
            entered.SetResult();
            await released.Task;
        });
        await entered.Task.WithinAsync("the hook");
        var before = await readModel.ReadVersionAsync(version);

        var lease = TimeSpan.FromSeconds(10);
        Assert.Equal([0, 1], await readModel.Store.ClaimAsync(version, 1, [0, 1], "a", lease, default).WithinAsync("the claim"));
        await readModel.Store.RenewAsync(
            "accounts", "a", lease, new Dictionary<string, IReadOnlyList<LaneReport>> { [version] = [new(0, LaneState.Running, null, 1)] }, default).WithinAsync("the renewal");
        await readModel.Store.SetJournalEndAsync(version, 0, 100, default).WithinAsync("the head");
        // It is stored at once, and waits for the change.
        var pause = new ProjectionControl(readModel.ReadModel).PauseAsync("accounts", version);
        await Wait.UntilAsync(async () => (await readModel.ReadVersionAsync(version)).IsPaused, () => "the pause is stored");
        // The lanes wait, and are fenced then.
        var lane = await readModel.ReadLaneAsync(version: version);
        var move = readModel.MoveAsync(new LaneOffsets(lane.Offsets).MoveTo(7, 0, 1), lane.Epoch, version);
        await Wait.UntilAsync(async () => await readModel.WaitingForLocksAsync() > 0, () => "the lane waits");
        released.SetResult();
        await changing.WithinAsync("the change");
        // The process ends: no lane of it can run.
        await readModel.Store.LeaveAsync("accounts", "a", default);

        await Assert.ThrowsAsync<FencedException>(() => move);
        await pause.WithinAsync("the pause");
        Assert.Equal(1, before.Epoch);
    }

    [Theory, OnPostgreSql]
    public async Task Of_two_concurrent_resets_the_second_waits_for_the_first_and_locks_its_rows(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var (first, second) = (await readModel.CommandAsync(CommandVerb.Reset), await readModel.CommandAsync(CommandVerb.Reset));
        var (entered, released, again) = (new TaskCompletionSource(), new TaskCompletionSource(), new TaskCompletionSource());
        var one = new ProjectionStore(readModel.OfAnotherProcess()).ResetAsync(first, TestReadModel.To(0), async (_, _) =>
        {
            entered.SetResult();
            await released.Task;
        }, default);
        await entered.Task.WithinAsync("the first");
        Task? move = null;
        var other = new ProjectionStore(readModel.OfAnotherProcess()).ResetAsync(second, TestReadModel.To(0), async (_, _) =>
        {
            // A lane after the first reset: it must not write between the second reset's emptying and its commit.
            var lane = await readModel.ReadLaneAsync();
            move = readModel.MoveAsync(new LaneOffsets(lane.Offsets).MoveTo(7, 0, 1), lane.Epoch);
            await Wait.UntilAsync(async () => move.IsCompleted || await readModel.WaitingForLocksAsync() > 0, () => "the lane waits");
            again.SetResult();
        }, default);
        await Wait.UntilAsync(async () => await readModel.WaitingForLocksAsync() > 0, () => "the second waits");
        released.SetResult();
        await one.WithinAsync("the first");
        await other.WithinAsync("the second");

        await again.Task;
        await Assert.ThrowsAsync<FencedException>(() => move!);
        Assert.Equal(3, (await readModel.ReadVersionAsync()).Epoch);
    }
}
