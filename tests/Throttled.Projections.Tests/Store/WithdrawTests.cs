using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>Commands that are withdrawn while they wait, or while they are executed.</summary>
public sealed class WithdrawTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_part_of_a_command_that_was_withdrawn_is_not_committed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var command = await readModel.CommandAsync(CommandVerb.Retry);
        await using (var first = await readModel.Store.BeginAsync("accounts", 1, default))
            await first.RecordCommandAsync(command.Id, null);
        await new ProjectionControl(readModel.ReadModel).WithdrawAllAsync("accounts");
        await using var second = await readModel.Store.BeginAsync("accounts", 1, default);
        await Assert.ThrowsAsync<CommandEndedException>(() => second.RecordCommandAsync(command.Id, null));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_waiting_command_is_withdrawn_and_its_caller_learns_by_whom_and_why(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var control = new ProjectionControl(readModel.ReadModel) { Origin = new("ann", "host-a", "ticket 7") };
        var reset = control.ResetAsync("accounts");
        var id = await NextAsync(readModel);

        Assert.Equal($"Command {id} (Reset of 'accounts') is withdrawn.", await control.WithdrawAsync("accounts", id));

        const string withdrawn = "The command was withdrawn by ann on host-a: ticket 7.";
        Assert.Equal(withdrawn, (await Assert.ThrowsAsync<ProjectionException>(() => reset)).Message);
        Assert.Empty((await readModel.ReadAsync()).Commands);
        var listed = Assert.Single(await control.CommandsAsync("accounts"));
        Assert.Equal((CommandState.Withdrawn, withdrawn, true), (listed.State, listed.Result, listed.EndedAt is not null));
        await RefusesAsync(() => control.WithdrawAsync("accounts", id), $"Command {id} (Reset of 'accounts') cannot be withdrawn: it is withdrawn already ({withdrawn.TrimEnd('.')}).");
        // A process that has read the command before does not execute it.
        await Assert.ThrowsAsync<CommandEndedException>(() => EndAsync(readModel, id));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task All_waiting_commands_of_a_projection_are_withdrawn_and_no_others(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.Store.CreateVersionAsync(TestReadModel.Row("other") with { Projection = "other" }, SliceRange.All, TestReadModel.Nothing, null, default);
        await DeadLetterTests.StoreAsync(readModel, DeadLetters.Of("a", 1), DeadLetters.Of("b", 2), DeadLetters.Of("c", 3));
        var control = new ProjectionControl(readModel.ReadModel);
        var others = control.ResetAsync("other");
        var retry = control.RetryAllAsync("accounts");
        var reset = control.ResetAsync("accounts");
        await Wait.UntilAsync(async () => (await readModel.ReadAsync()).Commands.Count == 4, () => "the commands");

        Assert.Equal(4, await control.WithdrawAllAsync("accounts"));

        Assert.Matches("^3 of 3 ids were refused; the first: '[abc]': The command was withdrawn\\.$", (await Assert.ThrowsAsync<ProjectionException>(() => retry)).Message);
        await Assert.ThrowsAsync<ProjectionException>(() => reset);
        Assert.False(others.IsCompleted);
        Assert.Equal(1, await control.WithdrawAllAsync("other"));
        await Assert.ThrowsAsync<ProjectionException>(() => others);
        Assert.Equal(0, await control.WithdrawAllAsync("other"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Unknown_and_ended_commands_and_projections_are_refused(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var control = new ProjectionControl(readModel.ReadModel);
        await RefusesAsync(
            () => control.WithdrawAsync("accounts", 77), "The projection 'accounts' has no command 77. CommandsAsync lists its commands; ended ones are removed after seven days.");
        await RefusesAsync(() => control.WithdrawAsync("x", 1), "There is no projection 'x' in this database. It has: accounts.");
        await RefusesAsync(() => control.WithdrawAllAsync("x"), "There is no projection 'x' in this database. It has: accounts.");
        var done = await readModel.CommandAsync(CommandVerb.Drop);
        await EndAsync(readModel, done.Id);
        await RefusesAsync(() => control.WithdrawAsync("accounts", done.Id), $"Command {done.Id} (Drop of 'accounts') cannot be withdrawn: it is done already (it is gone).");
    }

    // SQLite has one writer at a time, so a withdrawal waits for the execution there.
    [Theory, OnPostgreSql]
    public async Task A_command_that_is_being_executed_is_refused_at_once(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var (executing, waiting) = (await readModel.CommandAsync(CommandVerb.Discard), await readModel.CommandAsync(CommandVerb.Discard));
        var control = new ProjectionControl(readModel.ReadModel);
        foreach (var outcome in new[] { null, CommandOutcome.Done("it is gone") })
        {
            await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
            await transaction.RecordCommandAsync(executing.Id, outcome);
            await RefusesAsync(() => control.WithdrawAsync("accounts", executing.Id), $"Command {executing.Id} (Discard of 'accounts') is being executed now, so it cannot be withdrawn.");
            Assert.Equal(outcome is null ? 1 : 0, await control.WithdrawAllAsync("accounts"));
            await transaction.CommitAsync();
        }
        Assert.Equal(
            [(executing.Id, CommandState.Done), (waiting.Id, CommandState.Withdrawn)],
            (await control.CommandsAsync("accounts")).Reverse().Select(command => (command.Id, command.State)));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_command_that_is_executed_and_withdrawn_at_once_ends_once(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var control = new ProjectionControl(readModel.ReadModel);
        for (var round = 0; round < 20; round++)
        {
            var id = (await readModel.CommandAsync(CommandVerb.Discard)).Id;
            var ends = await Task.WhenAll(
                Task.Run(async () => await Record.ExceptionAsync(() => EndAsync(readModel, id)) is null),
                Task.Run(async () => await Record.ExceptionAsync(() => control.WithdrawAsync("accounts", id)) is null));
            Assert.Single(ends, each => each);
            Assert.Equal(ends[0] ? CommandState.Done : CommandState.Withdrawn, (await control.CommandsAsync("accounts", 1))[0].State);
        }
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_reset_refuses_the_retries_of_dead_letters_that_it_removes_and_leaves_the_others(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await DeadLetterTests.StoreAsync(readModel, DeadLetters.Of("a", 1), DeadLetters.Of("b", 7), DeadLetters.Of("c", 8));
        var control = new ProjectionControl(readModel.ReadModel);
        var retry = control.RetryAllAsync("accounts");
        await Wait.UntilAsync(async () => (await readModel.ReadAsync()).Commands.Count == 3, () => "the commands");
        var reset = await readModel.CommandAsync(CommandVerb.Reset);

        await readModel.Store.ResetAsync(reset, TestReadModel.To(5), null, default);

        Assert.Equal("a", Assert.Single((await readModel.ReadAsync()).Commands).PersistenceId);
        await control.WithdrawAllAsync("accounts");
        Assert.StartsWith("3 of 3 ids were refused", (await Assert.ThrowsAsync<ProjectionException>(() => retry)).Message, StringComparison.Ordinal);
        Assert.Equal(
            [$"The dead letters were removed by the reset of command {reset.Id}; their events come again as replays."],
            (await control.CommandsAsync("accounts")).Where(command => command.PersistenceId is "b" or "c").Select(command => command.Result).Distinct());
    }

    // SQLite has one writer at a time.
    [Theory, OnPostgreSql]
    public async Task A_reset_leaves_the_outcome_of_a_command_that_ends_at_the_same_time(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var (retry, reset) = (await readModel.CommandAsync(CommandVerb.Retry), await readModel.CommandAsync(CommandVerb.Reset));
        await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
        await transaction.RecordCommandAsync(retry.Id, CommandOutcome.Done("1 event retried"));
        var resetting = readModel.Store.ResetAsync(reset, TestReadModel.To(0), null, default);
        await Wait.UntilAsync(async () => await readModel.WaitingForLocksAsync() > 0, () => "the reset waits for the command");
        await transaction.CommitAsync();
        await resetting;
        Assert.Equal("1 event retried", (await new ProjectionControl(readModel.ReadModel).CommandsAsync("accounts")).Single(command => command.Id == retry.Id).Result);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_swap_refuses_the_retries_of_the_version_that_it_retires(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.VersionAsync("built", role: VersionRole.Building);
        var (retry, ofBuilt) = (await readModel.CommandAsync(CommandVerb.Retry), await readModel.CommandAsync(CommandVerb.Retry, "built"));
        var swap = await readModel.CommandAsync(CommandVerb.Swap, "built");

        await readModel.Store.SwapAsync(swap, "accounts", TestReadModel.Nothing, default);

        Assert.Equal([ofBuilt], (await readModel.ReadAsync()).Commands);
        Assert.Equal(
            $"'accounts' was retired by the swap of command {swap.Id}, so its dead letters are not handled any more.",
            (await new ProjectionControl(readModel.ReadModel).CommandsAsync("accounts")).Single(command => command.Id == retry.Id).Result);
    }

    private static async Task<long> NextAsync(TestReadModel readModel)
    {
        await Wait.UntilAsync(async () => (await readModel.ReadAsync()).Commands.Count > 0, () => "the command is stored");
        return (await readModel.ReadAsync()).Commands[0].Id;
    }

    private static async Task EndAsync(TestReadModel readModel, long id)
    {
        await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
        await transaction.RecordCommandAsync(id, CommandOutcome.Done("it is gone"));
        await transaction.CommitAsync();
    }

    private static async Task RefusesAsync(Func<Task> call, string message) => Assert.Equal(message, (await Assert.ThrowsAsync<ProjectionException>(call)).Message);
}
