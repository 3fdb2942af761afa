using System.Data.Common;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>Tables that another release has created.</summary>
public sealed class SchemaTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_missing_table_is_created_and_the_view_is_replaced(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("DROP VIEW throttled_projection_status");
        await readModel.ExecuteAsync("CREATE VIEW throttled_projection_status AS SELECT projection, version FROM throttled_projection");
        await readModel.ExecuteAsync("DROP TABLE throttled_projection_process");
        await readModel.Store.CreateTablesAsync(default);
        await readModel.VersionAsync();
        Assert.Single(await new ProjectionControl(readModel.ReadModel).StatusAsync("accounts"));
        Assert.Empty((await readModel.ReadAsync()).Processes);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Tables_of_a_newer_release_are_refused_and_not_changed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("INSERT INTO throttled_projection_schema (version, usable_from) VALUES (98, 2), (99, 50)");
        await readModel.ExecuteAsync("DROP VIEW throttled_projection_status");

        var refusal = await Assert.ThrowsAsync<ProjectionException>(() => readModel.Store.CreateTablesAsync(default));

        Assert.Equal(
            "The tables of projections (throttled_projection and others) have version 99 in this database: a newer release has made them. Only releases that know version 50 can use them; "
            + $"this one knows versions up to {Schema.Version}. Update this process to such a release.",
            refusal.Message);
        refusal = await Assert.ThrowsAsync<ProjectionException>(() => new ProjectionControl(readModel.ReadModel).StatusAsync("accounts"));
        Assert.Contains("have version 99", refusal.Message, StringComparison.Ordinal);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Compatible_tables_of_a_newer_release_are_used_and_not_changed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync($"INSERT INTO throttled_projection_schema (version, usable_from) VALUES (99, {Schema.Version})");
        await readModel.ExecuteAsync(readModel.Dialect.AddColumn("throttled_projection_offset", "newer bigint NOT NULL DEFAULT 0"));
        await readModel.ExecuteAsync("DROP VIEW throttled_projection_status");

        await new ProjectionStore(readModel.OfAnotherProcess()).CreateTablesAsync(default);

        await readModel.VersionAsync();
        await readModel.MoveToAsync(8);
        Assert.Equal(8, (await readModel.ReadLaneAsync()).Offsets[0].Ordering);
        var refusal = await Assert.ThrowsAsync<ProjectionException>(() => new ProjectionControl(readModel.ReadModel).StatusAsync("accounts"));
        Assert.Contains("needs all tables of version 99. Start the projection once with the release that made them", refusal.Message, StringComparison.Ordinal);
    }

    [Theory, OnPostgreSql]
    public async Task A_lane_that_locks_its_rows_for_long_fails_the_table_upgrade_and_blocks_no_other_lane(string database)
    {
        await using var readModel = await ReleasedTables.CreateAsync(database, 1);
        await readModel.ExecuteAsync(
            "INSERT INTO throttled_projection_offset (version, first_slice, last_slice, ordering, timestamp, epoch, events) VALUES ('accounts', 0, 511, 7, 1, 1, 5), ('accounts', 512, 1023, 7, 1, 1, 5)");
        await using var connection = await readModel.ReadModel.Source.OpenConnectionAsync();
        await using var lane = await connection.BeginTransactionAsync();
        await ExecuteAsync(lane, "UPDATE throttled_projection_offset SET ordering = 8 WHERE first_slice = 0");

        var refusal = await Assert.ThrowsAnyAsync<DbException>(() => readModel.Store.CreateTablesAsync(default));

        Assert.Equal(("55P03", true), (refusal.SqlState, readModel.Store.IsTransient(refusal)));
        await readModel.ExecuteAsync("UPDATE throttled_projection_offset SET ordering = 9 WHERE first_slice = 512");
        await lane.CommitAsync();
        await readModel.Store.CreateTablesAsync(default);
        Assert.Equal(Schema.Version, await VersionAsync(readModel));
        Assert.Equal(17L, Convert.ToInt64(await readModel.ScalarAsync("SELECT sum(ordering) FROM throttled_projection_offset")));
    }

    // A reset locks the commands first; a process that reads the state locks the offsets first.
    [Theory, OnPostgreSql]
    public async Task A_transaction_that_locks_two_tables_is_not_a_deadlock_victim_of_the_table_upgrade(string database)
    {
        const string commands = "SELECT * FROM throttled_projection_command FOR UPDATE", offsets = "SELECT * FROM throttled_projection_offset FOR UPDATE";
        foreach (var (first, second) in new[] { (commands, offsets), (offsets, commands) })
        {
            await using var readModel = await ReleasedTables.CreateAsync(database, 1);
            await using var connection = await readModel.ReadModel.Source.OpenConnectionAsync();
            await using var other = await connection.BeginTransactionAsync();
            // The change gives up after 500 ms, and the server finds no deadlock before.
            await ExecuteAsync(other, "SET LOCAL deadlock_timeout = '1min'");
            await ExecuteAsync(other, first);
            var changing = Record.ExceptionAsync(() => new ProjectionStore(readModel.OfAnotherProcess()).CreateTablesAsync(default));
            await Wait.UntilAsync(async () => changing.IsCompleted || await readModel.WaitingForLocksAsync() > 0, () => "the change waits");
            await ExecuteAsync(other, second);
            await other.CommitAsync();

            Assert.True(await changing is null or DbException { SqlState: "55P03" }, $"{await changing}");
            await readModel.Store.CreateTablesAsync(default);
            Assert.Equal(Schema.Version, await VersionAsync(readModel));
        }
    }

    [Theory, OnPostgreSql]
    public async Task Tables_of_another_schema_in_the_search_path_are_ignored(string database)
    {
        await using var tenant = await ReleasedTables.CreateAsync(database, 1);
        await using var shared = await TestReadModel.CreateAsync(database);
        var both = tenant.OfAnotherProcess($"Search Path={await SchemaAsync(tenant)},{await SchemaAsync(shared)}");

        await new ProjectionStore(both).CreateTablesAsync(default);

        Assert.Equal(await ReleasedTables.ColumnsAsync(shared), await ReleasedTables.ColumnsAsync(tenant));
        Assert.Equal(Schema.Version, await VersionAsync(tenant));
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task Commands_on_older_tables_are_refused_with_the_remedy(string database)
    {
        await using var readModel = await ReleasedTables.CreateAsync(database, 1);
        await readModel.ExecuteAsync("DROP VIEW throttled_projection_status");
        var refusal = await Assert.ThrowsAsync<ProjectionException>(() => new ProjectionControl(readModel.ReadModel).StatusAsync("accounts"));
        Assert.Contains("have version 1 in this database", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("Start the projection once with this release", refusal.Message, StringComparison.Ordinal);
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task A_pause_works_on_older_tables(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        foreach (var column in new[] { "given_by", "given_on", "reason" })
            await readModel.ExecuteAsync($"ALTER TABLE throttled_projection_command DROP COLUMN {column}");
        await readModel.ExecuteAsync("ALTER TABLE throttled_projection_lane DROP COLUMN stopped_after_resumes");
        await readModel.ExecuteAsync("UPDATE throttled_projection_schema SET version = 2");
        var control = new ProjectionControl(readModel.ReadModel) { Origin = new("ann") };
        Assert.Equal("'accounts' is paused; its processes notice within some seconds.", await control.PauseAsync("accounts"));
        Assert.True((await readModel.ReadVersionAsync()).IsPaused);
        await control.ResumeAsync("accounts");
        Assert.False((await readModel.ReadVersionAsync()).IsPaused);
        Assert.Equal(0, await readModel.CountAsync("throttled_projection_command"));
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task A_command_that_was_inserted_by_hand_with_invalid_values_is_listed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync(
            "INSERT INTO throttled_projection_command (projection, version, verb, state, created_at) VALUES ('accounts', 'accounts', 'Reset', 'waiting', "
            + $"{(readModel.IsSqlite ? "'yesterday'" : "'1970-01-01 00:00:00Z'")})");
        var command = Assert.Single(await new ProjectionControl(readModel.ReadModel).CommandsAsync("accounts"));
        Assert.Equal((CommandState.Refused, DateTimeOffset.UnixEpoch), (command.State, command.GivenAt));
        Assert.Equal("Its state is 'waiting'; it must be one of Waiting, Done, Refused, Withdrawn.", command.Result);
    }

    [Fact]
    public async Task An_origin_without_a_user_is_refused()
    {
        await using var readModel = await TestReadModel.AbsentAsync(OnSqliteAttribute.Name);
        Assert.Throws<ArgumentException>(() => new ProjectionControl(readModel.ReadModel) { Origin = new("", "host-a", "ticket 7") });
    }

    private static async Task ExecuteAsync(DbTransaction transaction, string sql)
    {
        await using var command = transaction.Connection!.CreateCommand();
        (command.CommandText, command.Transaction) = (sql, transaction);
        await command.ExecuteNonQueryAsync();
    }

    private static async Task<string> SchemaAsync(TestReadModel readModel) => (string)(await readModel.ScalarAsync("SELECT current_schema()::text"))!;

    private static async Task<int> VersionAsync(TestReadModel readModel) =>
        Convert.ToInt32(await readModel.ScalarAsync("SELECT max(version) FROM throttled_projection_schema"));
}
