using Npgsql;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>The scripts of the documentation: the tables that they create, and the rights that they grant.</summary>
public sealed class RightsTests
{
    [Fact]
    public void The_script_creates_the_same_tables_as_a_projection() =>
        Assert.Equal(
            string.Join("\n", Schema.Statements(ReadModelDialect.PostgreSql, from: 1).Select(sql => $"{sql};\n")).ReplaceLineEndings("\n"),
            Script("projections-tables-postgresql.sql").ReplaceLineEndings("\n")
                .Split("\n\n", 2)[1]);

    [PostgreSqlFact]
    public async Task Granted_rights_suffice_to_run_and_to_operate()
    {
        await using var owner = await TestReadModel.AbsentAsync(OnPostgreSqlAttribute.Name);
        var runner = await GrantAsync(owner, "runner");
        var store = new ProjectionStore(runner);
        await store.CreateTablesAsync(default);
        await store.CreateVersionAsync(TestReadModel.Row(), SliceRange.All, TestReadModel.Nothing, null, default);
        await store.RenewAsync("accounts", "p1", TimeSpan.FromHours(1), new Dictionary<string, IReadOnlyList<LaneReport>>(), default);
        Assert.Equal([0], await store.ClaimAsync("accounts", 1, [0], "p1", TimeSpan.FromHours(1), default));
        var lane = await store.ReadLaneAsync("accounts", new(0, 511), default);
        await using (var transaction = await store.BeginAsync("accounts", 1, default))
        {
            await transaction.MoveAsync(new LaneOffsets(lane.Offsets).MoveTo(5, 1, 1));
            await transaction.StoreDeadLettersAsync([DeadLetters.Of("a", 1)]);
            await transaction.CommitAsync();
        }
        await store.SetJournalEndAsync("accounts", 0, 9, default);
        await store.LayOutAsync(TestReadModel.Row(), SliceRange.All, new(3, ShardMap.Even(1)), null, default);
        var control = new ProjectionControl(runner);

        var reset = control.ResetAsync("accounts");
        await Wait.UntilAsync(async () => (await owner.ReadAsync()).Commands.Count == 1, () => "the command");
        await store.ResetAsync((await owner.ReadAsync()).Commands[0], TestReadModel.To(0), null, default);

        Assert.Equal("'accounts' goes on after 0. 1 dead letter was removed; its event comes again as a replay.", await reset);
        await control.PauseAsync("accounts");
        Assert.True(Assert.Single(await control.StatusAsync("accounts")).IsPaused);
        Assert.Empty(await control.DeadLettersAsync("accounts"));
    }

    [PostgreSqlFact]
    public async Task Rights_that_were_granted_on_version_1_suffice_after_an_upgrade_by_the_owner()
    {
        await using var owner = await TestReadModel.AbsentAsync(OnPostgreSqlAttribute.Name);
        var schema = (string)(await owner.ScalarAsync("SELECT current_schema()::text"))!;
        await owner.ExecuteAsync(Script("postgresql-1.sql"));
        await owner.ExecuteAsync($"CREATE ROLE runner_{schema} LOGIN PASSWORD '{PostgreSqlServer.Password}'");
        await owner.ExecuteAsync(
            $"GRANT USAGE ON SCHEMA {schema} TO runner_{schema}; GRANT SELECT, INSERT, UPDATE, DELETE ON {string.Join(", ", Schema.Names.Where(name => name is not (Schema.SchemaVersion or Schema.Status)))} "
            + $"TO runner_{schema}; GRANT SELECT ON throttled_projection_status TO runner_{schema}");
        await owner.ExecuteAsync(Script("projections-tables-postgresql.sql"));

        var runner = owner.OfAnotherProcess($"Username=runner_{schema}");
        var store = new ProjectionStore(runner);
        await store.CreateTablesAsync(default);

        await store.CreateVersionAsync(TestReadModel.Row(), SliceRange.All, TestReadModel.Nothing, null, default);
        Assert.Equal(2, Assert.Single(await new ProjectionControl(runner).StatusAsync("accounts")).Lanes.Count);
    }

    [PostgreSqlFact]
    public async Task Rights_to_the_status_allow_nothing_else()
    {
        await using var owner = await TestReadModel.AbsentAsync(OnPostgreSqlAttribute.Name);
        var reader = await GrantAsync(owner, "reader");
        await owner.VersionAsync();
        var control = new ProjectionControl(reader);

        Assert.Equal(2, Assert.Single(await control.StatusAsync("accounts")).Lanes.Count);

        await DeniesAsync(() => control.DeadLettersAsync("accounts"));
        await DeniesAsync(() => control.PauseAsync("accounts"));
        await DeniesAsync(() => control.ResetAsync("accounts"));
    }

    [PostgreSqlFact]
    public async Task A_user_that_may_not_create_tables_is_refused_with_the_remedy()
    {
        await using var owner = await TestReadModel.CreateAsync(OnPostgreSqlAttribute.Name);
        var runner = await GrantAsync(owner, "runner");
        await owner.ExecuteAsync("DROP VIEW throttled_projection_status");

        await DeniesAsync(() => new ProjectionStore(runner).CreateTablesAsync(default));
    }

    private static async Task<ReadModelDatabase> GrantAsync(TestReadModel owner, string role)
    {
        var schema = (string)(await owner.ScalarAsync("SELECT current_schema()::text"))!;
        foreach (var each in new[] { "runner", "reader" })
            await owner.ExecuteAsync($"CREATE ROLE {each}_{schema} LOGIN PASSWORD '{PostgreSqlServer.Password}'");
        await owner.ExecuteAsync(Script("projections-tables-postgresql.sql"));
        await owner.ExecuteAsync(
            Script("projections-postgresql.sql")
                .Replace("'projection_runner'", $"'runner_{schema}'").Replace("'projection_reader'", $"'reader_{schema}'")
                .Replace("'public'", $"'{schema}'"));
        return owner.OfAnotherProcess($"Username={role}_{schema}");
    }

    private static async Task DeniesAsync(Func<Task> call) =>
        Assert.Equal("42501", (await Assert.ThrowsAsync<PostgresException>(call)).SqlState);

    private static string Script(string name)
    {
        using var reader = new StreamReader(typeof(RightsTests).Assembly.GetManifestResourceStream(name)!);
        return reader.ReadToEnd();
    }
}
