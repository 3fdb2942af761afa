using System.Data.Common;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests;

public sealed class ProjectionControlTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Pause_and_resume_work_without_a_process(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var control = new ProjectionControl(readModel.ReadModel);

        Assert.Equal("'accounts' is paused; no lane runs.", await control.PauseAsync("accounts"));
        Assert.Equal("'accounts' was paused already; no lane runs.", await control.PauseAsync("accounts"));
        Assert.Equal((true, 0), (await readModel.ReadVersionAsync()) is var paused ? (paused.IsPaused, paused.Resumes) : default);
        Assert.True(Assert.Single(await control.StatusAsync("accounts")).IsPaused);
        Assert.Equal("'accounts' is resumed; no process runs it now.", await control.ResumeAsync("accounts"));
        Assert.Equal("'accounts' was not paused, and none of its lanes has failed.", await control.ResumeAsync("accounts"));
        Assert.Equal(["'accounts' is paused.", "'accounts' was paused already."], (await control.CommandsAsync("accounts")).Skip(2).Reverse().Select(command => command.Result));
        var version = await readModel.ReadVersionAsync();
        Assert.Equal((false, 2), (version.IsPaused, version.Resumes));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_projections_of_a_database_are_listed_once_each(string database)
    {
        await using var absent = await TestReadModel.AbsentAsync(database);
        Assert.Empty(await new ProjectionControl(absent.ReadModel).NamesAsync());
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.VersionAsync("built", role: VersionRole.Building);
        await readModel.Store.CreateVersionAsync(TestReadModel.Row("Zoo") with { Projection = "Zoo" }, Throttled.Journal.SliceRange.All, TestReadModel.Nothing, null, default);
        Assert.Equal(["Zoo", "accounts"], await new ProjectionControl(readModel.ReadModel).NamesAsync());
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Each_command_is_stored_as_given_and_returns_its_result(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.VersionAsync("built", role: VersionRole.Building);
        await DeadLetterTests.StoreAsync(readModel, DeadLetters.Of("a", 1), DeadLetters.Of("a", 2));
        var control = new ProjectionControl(readModel.ReadModel);
        var time = new DateTimeOffset(2024, 5, 6, 7, 8, 9, TimeSpan.FromHours(2));

        await ExpectAsync(readModel, control.ResetAsync("accounts"), new(0, "accounts", CommandVerb.Reset));
        await ExpectAsync(readModel, control.ResetAsync("accounts", 7), new(0, "accounts", CommandVerb.Reset) { Ordering = 7 });
        await ExpectAsync(
            readModel, control.ResetAsync("accounts", time), new(0, "accounts", CommandVerb.Reset) { Timestamp = time.UtcTicks });
        await ExpectAsync(readModel, control.RebuildAsync("accounts", "new"), new(0, "new", CommandVerb.Rebuild));
        await ExpectAsync(readModel, control.SwapAsync("accounts", "built"), new(0, "built", CommandVerb.Swap));
        await ExpectAsync(readModel, control.SwapAsync("accounts", "built", force: true), new(0, "built", CommandVerb.ForcedSwap));
        await ExpectAsync(readModel, control.SetLanesAsync("accounts", 5), new(0, "accounts", CommandVerb.SetLanes) { Lanes = 5 });
        await ExpectAsync(readModel, control.DropAsync("accounts", "built"), new(0, "built", CommandVerb.Drop));
        await ExpectAsync(readModel, control.ResetAsync("accounts", 7, "built"), new(0, "built", CommandVerb.Reset) { Ordering = 7 });
        await ExpectAsync(readModel, control.RetryAsync("accounts", "a"), new(0, "accounts", CommandVerb.Retry) { PersistenceId = "a" });
        await ExpectAsync(
            readModel, control.DiscardAsync("accounts", "a", 2),
            new(0, "accounts", CommandVerb.Discard) { PersistenceId = "a", SequenceNumber = 2 });
        Assert.Equal(2, await readModel.CountAsync($"throttled_projection_command WHERE slice = {JournalSlices.Of("a")}"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Each_command_stores_who_gave_it_and_why(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await DeadLetterTests.StoreAsync(readModel, DeadLetters.Of("a", 1));
        var ann = new CommandOrigin("ann", "host-a", "ticket 7");
        var control = new ProjectionControl(readModel.ReadModel) { Origin = ann };
        Assert.Empty(await control.CommandsAsync("accounts"));
        await control.PauseAsync("accounts");
        await ExpectAsync(readModel, control.ResetAsync("accounts"), new(0, "accounts", CommandVerb.Reset));
        await ExpectAsync(readModel, control.RebuildAsync("accounts", "new"), new(0, "new", CommandVerb.Rebuild));
        var all = control.DiscardAllAsync("accounts");
        await Wait.UntilAsync(async () => (await control.CommandsAsync("accounts")).Count == 4, () => "the command");
        await readModel.ExecuteAsync("UPDATE throttled_projection_command SET state = 'Done' WHERE state = 'Waiting'");
        await all;
        // As a process of an older release writes it.
        await readModel.ExecuteAsync("INSERT INTO throttled_projection_command (projection, version, verb, state, created_at) SELECT projection, version, 'Swap', 'Waiting', created_at FROM throttled_projection_command WHERE verb = 'Pause'");

        var commands = await control.CommandsAsync("accounts");
        Assert.Equal(["Swap", "Discard", "Rebuild", "Reset", "Pause"], commands.Select(command => command.Verb));
        Assert.Equal([null, ann, ann, ann, ann], commands.Select(command => command.Origin));
        Assert.Equal(("a", CommandState.Done), (commands[1].PersistenceId, commands[1].State));
        Assert.NotNull(commands[^1].EndedAt);
        Assert.Equal("Swap", Assert.Single(await control.CommandsAsync("accounts", 1)).Verb);
        Assert.Empty(await control.CommandsAsync("other"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Commands_without_an_origin_store_none(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await new ProjectionControl(readModel.ReadModel).PauseAsync("accounts");
        await new ProjectionControl(readModel.ReadModel) { Origin = new("ann\0") }.ResumeAsync("accounts");
        var commands = await new ProjectionControl(readModel.ReadModel).CommandsAsync("accounts");
        Assert.Equal([new CommandOrigin("ann\uFFFD"), null], commands.Select(command => command.Origin));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_refused_command_throws_with_the_reason(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();

        var reset = new ProjectionControl(readModel.ReadModel).ResetAsync("accounts");
        await readModel.Store.RefuseAsync(await NextAsync(readModel), "There is no event at that time.", default);

        Assert.Equal("There is no event at that time.", (await Assert.ThrowsAsync<ProjectionException>(() => reset)).Message);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_cancelled_wait_leaves_the_command(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        using var cancellation = new CancellationTokenSource();

        var reset = new ProjectionControl(readModel.ReadModel).ResetAsync("accounts", cancellationToken: cancellation.Token);
        var command = await NextAsync(readModel);
        await cancellation.CancelAsync();

        await Assert.ThrowsAsync<StoredCommandException>(() => reset);
        Assert.Equal([command], (await readModel.ReadAsync()).Commands);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_call_that_is_cancelled_before_its_command_is_stored_leaves_none(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();

        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => new ProjectionControl(readModel.ReadModel).ResetAsync("accounts", cancellationToken: new CancellationToken(canceled: true)));

        Assert.IsNotType<StoredCommandException>(error);
        Assert.Empty((await readModel.ReadAsync()).Commands);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task All_dead_letters_are_retried_id_by_id(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var control = new ProjectionControl(readModel.ReadModel);
        Assert.Equal(0, await control.RetryAllAsync("accounts"));
        await DeadLetterTests.StoreAsync(readModel, DeadLetters.Of("a", 1), DeadLetters.Of("a", 2), DeadLetters.Of("b", 3));

        var retry = control.RetryAllAsync("accounts");
        var commands = await CommandsAsync(readModel, 2);
        Assert.Equal(["a", "b"], commands.Select(command => command.PersistenceId).Order());
        Assert.All(commands, command => Assert.Equal((CommandVerb.Retry, null), (command.Verb, command.SequenceNumber)));
        foreach (var command in commands)
            await EndAsync(readModel, command);
        Assert.Equal(2, await retry);

        var discard = control.DiscardAllAsync("accounts");
        foreach (var command in await CommandsAsync(readModel, 2))
            await readModel.Store.RefuseAsync(command, "No.", default);
        var error = await Assert.ThrowsAsync<ProjectionException>(() => discard);
        Assert.Matches("^2 of 2 ids were refused; the first: '[ab]': No\\.$", error.Message);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Dead_letters_are_listed_in_order_with_their_times(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await DeadLetterTests.StoreAsync(readModel, DeadLetters.Of("b", 3, "failed", 0), DeadLetters.Of("a", 1, "failed", 5), DeadLetters.Of("a", 2, null, 0));
        var control = new ProjectionControl(readModel.ReadModel);

        var deadLetters = await control.DeadLettersAsync("accounts");

        Assert.Equal([1, 2, 3], deadLetters.Select(deadLetter => deadLetter.Event.Ordering));
        Assert.Equal([("failed", 5), (null, 0), ("failed", 0)], deadLetters.Select(deadLetter => (deadLetter.Error, deadLetter.Attempts)));
        Assert.Equal([deadLetters[0].DeadLetteredAt, null, null], deadLetters.Select(deadLetter => deadLetter.TriedAt is null ? (DateTimeOffset?)null : deadLetter.DeadLetteredAt));
        Assert.All(deadLetters, deadLetter => Assert.InRange(deadLetter.DeadLetteredAt, new(2024, 1, 1, 0, 0, 0, default), DateTimeOffset.MaxValue));
        Assert.Equal([3], (await control.DeadLettersAsync("accounts", "b")).Select(deadLetter => deadLetter.Event.Ordering));
        Assert.Equal([1, 2], (await control.DeadLettersAsync("accounts", limit: 2)).Select(deadLetter => deadLetter.Event.Ordering));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Unknown_names_are_refused_with_the_known_ones(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var control = new ProjectionControl(readModel.ReadModel);
        await RefusesAsync(() => control.PauseAsync("x"), "There is no projection 'x' in this database. It has none yet: start the application once.");
        await RefusesAsync(
            () => control.RebuildAsync("x", "new"), "There is no projection 'x' in this database. It has none yet: start the application once.");
        await readModel.VersionAsync();
        await readModel.VersionAsync("built", role: VersionRole.Building);
        const string unknown = "There is no projection 'x' in this database. It has: accounts.";

        await RefusesAsync(() => control.PauseAsync("x"), unknown);
        await RefusesAsync(() => control.ResumeAsync("x"), unknown);
        await RefusesAsync(() => control.ResetAsync("x"), unknown);
        await RefusesAsync(() => control.SwapAsync("x", "built"), unknown);
        await RefusesAsync(() => control.DropAsync("x", "built"), unknown);
        await RefusesAsync(() => control.DeadLettersAsync("x"), unknown);
        await RefusesAsync(() => control.RetryAsync("x", "a"), unknown);
        await RefusesAsync(() => control.RetryAllAsync("x"), unknown);
        await RefusesAsync(() => control.DiscardAllAsync("x"), unknown);
        await RefusesAsync(
            () => control.RebuildAsync("built", "new"),
            "There is no projection 'built' in this database; 'built' is a read model of the projection 'accounts'. Name the projection 'accounts', and give 'built' as 'version'.");
        await RefusesAsync(
            () => control.PauseAsync("accounts", "y"),
            "The projection 'accounts' has no read model 'y'; it has 'accounts' (live), 'built' (building). Name one of these, or leave it out for the live one.");
        await RefusesAsync(
            () => control.RebuildAsync("accounts", "built"),
            "The read model 'built' of the projection 'accounts' is there already (building). Drop it, or take another name.");
        await RefusesAsync(
            () => control.SwapAsync("accounts", "accounts"),
            "The read model 'accounts' of the projection 'accounts' is live; only one that is building can be swapped in. Rebuild first.");
        await RefusesAsync(
            () => control.DropAsync("accounts", "accounts"), "The read model 'accounts' of the projection 'accounts' is live and cannot be dropped. Swap another in first.");
        Assert.Empty((await readModel.ReadAsync()).Commands);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task After_a_swap_the_name_of_the_projection_means_the_new_live_read_model(string database)
    {
        await using var readModel = await SwappedAsync(database);
        var control = new ProjectionControl(readModel.ReadModel);

        await control.PauseAsync("accounts");
        Assert.Equal((false, true), ((await readModel.ReadVersionAsync()).IsPaused, (await readModel.ReadVersionAsync("built")).IsPaused));
        await control.ResumeAsync("accounts");
        Assert.False((await readModel.ReadVersionAsync("built")).IsPaused);
        await ExpectAsync(readModel, control.ResetAsync("accounts"), new(0, "built", CommandVerb.Reset));
        await DeadLetterTests.StoreAsync(readModel, DeadLetters.Of("a", 1));
        Assert.Empty(await control.DeadLettersAsync("accounts"));
        Assert.Single(await control.DeadLettersAsync("accounts", version: "accounts"));
        Assert.Equal(0, await control.RetryAllAsync("accounts"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Commands_that_a_retired_read_model_cannot_execute_are_refused_with_the_live_one(string database)
    {
        await using var readModel = await SwappedAsync(database);
        await DeadLetterTests.StoreAsync(readModel, DeadLetters.Of("a", 1));
        var control = new ProjectionControl(readModel.ReadModel);
        Func<Task>[] calls =
        [
            () => control.PauseAsync("accounts", "accounts"), () => control.ResumeAsync("accounts", "accounts"), () => control.ResetAsync("accounts", "accounts"), () => control.SetLanesAsync("accounts", 5, "accounts"),
            () => control.RetryAsync("accounts", "a", version: "accounts"), () => control.RetryAllAsync("accounts", "accounts"),
            () => control.DiscardAsync("accounts", "a", version: "accounts"), () => control.DiscardAllAsync("accounts", "accounts"),
        ];
        foreach (var call in calls)
        {
            await RefusesAsync(
                call,
                "The read model 'accounts' of the projection 'accounts' is retired: no process writes it any more, so this has no effect. "
                + "The live one is 'built': give that name, or no name. 'accounts' can be dropped.");
        }
        Assert.False((await readModel.ReadVersionAsync()).IsPaused);
        Assert.Empty((await readModel.ReadAsync()).Commands);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Unknown_dead_letters_are_refused_with_the_known_ones(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var control = new ProjectionControl(readModel.ReadModel);
        await RefusesAsync(() => control.RetryAsync("accounts", "x"), "'accounts' has no dead letter of 'x'; it has none.");
        await DeadLetterTests.StoreAsync(
            readModel, [DeadLetters.Of("a00", 2), DeadLetters.Of("a00", 4), .. Enumerable.Range(1, 11).Select(n => DeadLetters.Of($"a{n:00}", 1))]);

        await RefusesAsync(
            () => control.DiscardAsync("accounts", "x"),
            "'accounts' has no dead letter of 'x'; it has those of 'a00', 'a01', 'a02', 'a03', 'a04', 'a05', 'a06', 'a07', 'a08', 'a09' and 2 more.");
        await RefusesAsync(
            () => control.RetryAsync("accounts", "a00", 3), "'accounts' has no dead letter 3 of 'a00'; it has 2 of them, from 2 to 4.");
        Assert.Empty((await readModel.ReadAsync()).Commands);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_database_without_projections_is_not_reported_as_a_fault(string database)
    {
        await using var readModel = await TestReadModel.AbsentAsync(database);
        var control = new ProjectionControl(readModel.ReadModel);

        var error = await Assert.ThrowsAsync<ProjectionException>(() => control.PauseAsync("accounts"));

        Assert.StartsWith("The tables of projections (throttled_projection and others) are not in this database.", error.Message);
        Assert.IsAssignableFrom<DbException>(error.InnerException);
        Assert.Empty(await control.StatusAsync("accounts"));
    }

    [Fact]
    public async Task Values_out_of_range_are_refused_before_the_database_is_used()
    {
        await using var readModel = await TestReadModel.AbsentAsync(OnSqliteAttribute.Name);
        var control = new ProjectionControl(readModel.ReadModel);

        Assert.Throws<ArgumentNullException>(() => new ProjectionControl(null!));
        await Assert.ThrowsAsync<ArgumentException>(() => control.StatusAsync(""));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => control.ResetAsync("accounts", -1));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => control.SetLanesAsync("accounts", 0));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => control.SetLanesAsync("accounts", 1_025));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => control.DeadLettersAsync("accounts", limit: 0));
        await Assert.ThrowsAsync<ArgumentException>(() => control.RetryAsync("accounts", ""));
        var error = await Assert.ThrowsAsync<ArgumentException>(() => control.RebuildAsync("accounts", new('x', 201)));
        Assert.StartsWith("The name of the new read model has 201 characters; it may have at most 200.", error.Message);
    }

    private static async Task<TestReadModel> SwappedAsync(string database)
    {
        var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.VersionAsync("built", role: VersionRole.Building);
        await readModel.Store.SwapAsync(await readModel.CommandAsync(CommandVerb.Swap, "built"), "accounts", TestReadModel.Nothing, default);
        return readModel;
    }

    private static async Task ExpectAsync(TestReadModel readModel, Task<string> call, CommandRow expected)
    {
        var command = await NextAsync(readModel);
        Assert.Equal(expected with { Id = command.Id }, command);
        await EndAsync(readModel, command);
        Assert.Equal($"did {command.Id}", await call);
    }

    private static async Task<CommandRow> NextAsync(TestReadModel readModel) => (await CommandsAsync(readModel, 1))[0];

    private static async Task<IReadOnlyList<CommandRow>> CommandsAsync(TestReadModel readModel, int count)
    {
        IReadOnlyList<CommandRow> commands = [];
        await Wait.UntilAsync(
            async () => (commands = (await readModel.ReadAsync()).Commands).Count == count, () => $"{count} commands; there are {commands.Count}");
        return commands;
    }

    private static async Task EndAsync(TestReadModel readModel, CommandRow command)
    {
        await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
        await transaction.RecordCommandAsync(command.Id, CommandOutcome.Done($"did {command.Id}"));
        await transaction.CommitAsync();
    }

    private static async Task RefusesAsync(Func<Task> call, string message) =>
        Assert.Equal(message, (await Assert.ThrowsAsync<ProjectionException>(call)).Message);
}
