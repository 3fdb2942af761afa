using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

public sealed class CommandTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Commands_are_read_unchanged_first_those_for_the_whole_version(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var first = await readModel.CommandAsync(CommandVerb.Retry);
        await readModel.ExecuteAsync(
            "UPDATE throttled_projection_command SET persistence_id = 'a', sequence_number = 2, ordering = 3, timestamp = 4");
        var second = await readModel.CommandAsync(CommandVerb.Rebuild, "new");
        var third = await readModel.CommandAsync(CommandVerb.Rebuild, "newer");

        Assert.Equal(
            [second, third, first with { PersistenceId = "a", SequenceNumber = 2, Ordering = 3, Timestamp = 4 }], (await readModel.ReadAsync()).Commands);
        Assert.Equal([second.Id, first.Id], (await readModel.Store.ReadAsync("accounts", 1, default)).Commands.Select(command => command.Id));
        Assert.Empty((await readModel.Store.ReadAsync("others", 10, default)).Commands);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task An_invalid_command_keeps_its_stored_verb(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.CommandAsync(CommandVerb.Drop);
        await readModel.ExecuteAsync("UPDATE throttled_projection_command SET verb = 'Explode'");

        var command = Assert.Single((await readModel.ReadAsync()).Commands);
        Assert.Equal("Explode", command.VerbText);
        Assert.StartsWith("Its verb is 'Explode'; it must be one of Reset, ", command.Refusal, StringComparison.Ordinal);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Commands_that_a_paused_version_cannot_execute_do_not_hide_others(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var retry = await readModel.CommandAsync(CommandVerb.Retry);
        await readModel.ExecuteAsync($"UPDATE throttled_projection SET paused = {readModel.Dialect.Flag(true)}");
        var reset = await readModel.CommandAsync(CommandVerb.Reset);

        Assert.Equal([reset], (await readModel.Store.ReadAsync("accounts", 1, default)).Commands);
        await readModel.ExecuteAsync($"UPDATE throttled_projection SET paused = {readModel.Dialect.Flag(false)}");
        Assert.Equal([reset, retry], (await readModel.ReadAsync()).Commands);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_command_is_executed_once_however_many_lanes_try(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var command = await readModel.CommandAsync(CommandVerb.Discard);

        var executed = await Task.WhenAll(Enumerable.Range(0, 6).Select(n => Task.Run(() => TryEndAsync(readModel, command, $"by {n}"))));

        Assert.Single(executed, done => done);
        Assert.Equal($"by {Array.IndexOf(executed, true)}", await readModel.ScalarAsync("SELECT result FROM throttled_projection_command"));
        Assert.Empty((await readModel.ReadAsync()).Commands);
        Assert.Equal(1, await readModel.CountAsync("throttled_projection_command WHERE state = 'Done' AND done_at IS NOT NULL"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_command_that_has_ended_is_not_refused(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var done = await readModel.CommandAsync(CommandVerb.Discard);
        await TryEndAsync(readModel, done, "done");
        var waiting = await readModel.CommandAsync(CommandVerb.Discard);

        await readModel.Store.RefuseAsync(done, "no", default);
        await readModel.Store.RefuseAsync(waiting, "no such thing", default);

        Assert.Equal("Done", await readModel.ScalarAsync($"SELECT state FROM throttled_projection_command WHERE id = {done.Id}"));
        Assert.Equal("no such thing", await readModel.ScalarAsync("SELECT result FROM throttled_projection_command WHERE state = 'Refused'"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_rebuild_under_the_name_of_another_projection_creates_nothing_and_leaves_its_command(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var mine = TestReadModel.Row("x", role: VersionRole.Building);
        await readModel.Store.CreateVersionAsync(mine with { Projection = "others" }, SliceRange.All, TestReadModel.Nothing, null, default);
        var command = await readModel.CommandAsync(CommandVerb.Rebuild, "x");

        Assert.False(await readModel.Store.CreateVersionAsync(mine, SliceRange.All, TestReadModel.Nothing, command, default));

        Assert.Equal("Waiting", await readModel.ScalarAsync("SELECT state FROM throttled_projection_command"));
        Assert.Empty((await readModel.ReadAsync()).Versions);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_rebuild_under_a_name_that_differs_only_in_case_creates_nothing_and_does_not_call_the_handler(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var command = await readModel.CommandAsync(CommandVerb.Rebuild, "Accounts");

        Assert.False(await readModel.Store.CreateVersionAsync(
            TestReadModel.Row("Accounts", role: VersionRole.Building), SliceRange.All, (_, _) => throw new InvalidTimeZoneException(), command, default));

        Assert.Equal([command], (await readModel.ReadAsync()).Commands);
        var refusal = await Assert.ThrowsAsync<ProjectionException>(() => new ProjectionControl(readModel.ReadModel).RebuildAsync("accounts", "ACCOUNTS"));
        Assert.Equal(
            "The read model 'accounts' of the projection 'accounts' has the same name as 'ACCOUNTS' but for its case or its accents, and a database may take both for one table. Take another name.",
            refusal.Message);
        await Assert.ThrowsAsync<ArgumentException>(() => new ProjectionControl(readModel.ReadModel).RebuildAsync("accounts", "new "));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Processes_that_execute_the_same_rebuild_create_one_version(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var command = await readModel.CommandAsync(CommandVerb.Rebuild, "new");
        var prepared = 0;

        var made = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            try
            {
                return await readModel.Store.CreateVersionAsync(
                    TestReadModel.Row("new", role: VersionRole.Building), SliceRange.All,
                    (_, _) =>
                    {
                        Interlocked.Increment(ref prepared);
                        return Task.CompletedTask;
                    },
                    command, default);
            }
            catch (FencedException)
            {
                return false;
            }
        })));

        Assert.Single(made, each => each);
        Assert.Equal(1, prepared);
        Assert.Equal("'new' is being built.", await readModel.ScalarAsync("SELECT result FROM throttled_projection_command"));
        Assert.Equal(VersionRole.Building, (await readModel.ReadVersionAsync("new")).Role);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_rebuild_whose_name_was_taken_in_the_meantime_creates_nothing(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var command = await readModel.CommandAsync(CommandVerb.Rebuild, "new");
        await readModel.Store.CreateVersionAsync(
            TestReadModel.Row("new") with { Projection = "others" }, SliceRange.All, TestReadModel.Nothing, null, default);

        Assert.False(await readModel.Store.CreateVersionAsync(
            TestReadModel.Row("new", role: VersionRole.Building), SliceRange.All, (_, _) => throw new InvalidTimeZoneException(), command, default));

        Assert.Equal([command], (await readModel.ReadAsync()).Commands);
        Assert.True(await readModel.Store.RefuseAsync(command, "The name is taken.", default));
        Assert.False(await readModel.Store.RefuseAsync(command, "The name is taken.", default));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_new_command_removes_those_that_ended_more_than_seven_days_ago(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        List<CommandRow> commands = [];
        for (var i = 0; i < 4; i++)
            commands.Add(await readModel.CommandAsync(CommandVerb.Discard));
        foreach (var (command, hours) in commands.Zip([169, 167, 169]))
        {
            await readModel.Store.RefuseAsync(command, "no", default);
            await readModel.ExecuteAsync($"UPDATE throttled_projection_command SET done_at = {Ago(readModel, hours)} WHERE id = {command.Id}");
        }
        // This command waits since then.
        await readModel.ExecuteAsync($"UPDATE throttled_projection_command SET created_at = {Ago(readModel, 1000)}");

        var id = await new ControlStore(readModel.ReadModel).InsertAsync("accounts", null, new(0, "", CommandVerb.Reset), default);

        Assert.Equal([id, commands[3].Id], (await readModel.ReadAsync()).Commands.Select(command => command.Id));
        Assert.Equal(commands[1].Id, Convert.ToInt64(await readModel.ScalarAsync("SELECT min(id) FROM throttled_projection_command")));
        Assert.Equal(3, await readModel.CountAsync("throttled_projection_command"));
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task Old_commands_are_found_by_an_index(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var plan = new List<string>();
        await using var connection = await readModel.ReadModel.Source.OpenConnectionAsync();
        await using var explain = connection.CreateCommand();
        var select = $"SELECT id FROM throttled_projection_command WHERE done_at < {Ago(readModel, 168)} ORDER BY done_at LIMIT 10";
        explain.CommandText = readModel.IsSqlite ? $"EXPLAIN QUERY PLAN {select}" : $"SET enable_seqscan = off; EXPLAIN {select}";
        await using (var reader = await explain.ExecuteReaderAsync())
        {
            while (await reader.ReadAsync())
                plan.Add(reader.GetString(readModel.IsSqlite ? 3 : 0));
        }
        Assert.Contains(plan, line => line.Contains("throttled_projection_command_done", StringComparison.Ordinal));
    }

    private static string Ago(TestReadModel readModel, int hours) => readModel.Dialect.Later(FormattableString.Invariant($"-{hours * 3600}"));

    private static async Task<bool> TryEndAsync(TestReadModel readModel, CommandRow command, string result)
    {
        try
        {
            await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
            await transaction.RecordCommandAsync(command.Id, CommandOutcome.Done(result));
            await transaction.CommitAsync();
            return true;
        }
        catch (FencedException)
        {
            return false;
        }
    }
}
