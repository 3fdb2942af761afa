using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>The scope with which a handler creates, empties, swaps and drops a read model.</summary>
public sealed class ScopeTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_hook_knows_whether_its_read_model_is_the_live_one(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        List<string> calls = [];
        await CreateAsync("accounts", VersionRole.Live);
        await CreateAsync("built", VersionRole.Building);
        await ResetAsync("accounts");
        await ResetAsync("built");
        await readModel.Store.SwapAsync(await readModel.CommandAsync(CommandVerb.Swap, "built"), "accounts", Record("swap"), default);
        await ResetAsync("built");
        await readModel.Store.DropAsync(await readModel.CommandAsync(CommandVerb.Drop), Record("drop"), default);

        Assert.Equal(
            ["create accounts True", "create built False", "reset accounts True", "reset built False", "swap built True", "reset built True", "drop accounts False"], calls);

        Task CreateAsync(string version, VersionRole role) =>
            readModel.Store.CreateVersionAsync(TestReadModel.Row(version, role: role), SliceRange.All, Record("create"), null, default);

        async Task ResetAsync(string version) =>
            await readModel.Store.ResetAsync(await readModel.CommandAsync(CommandVerb.Reset, version), TestReadModel.To(0), Record("reset"), default);

        Func<ReadModelScope, CancellationToken, Task> Record(string what) => (scope, _) =>
        {
            calls.Add($"{what} {scope.Version} {scope.IsLive}");
            return Task.CompletedTask;
        };
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_statement_takes_values_as_parameters_and_returns_the_number_of_changed_rows(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var touched = 0;
        await readModel.Store.CreateVersionAsync(TestReadModel.Row(), SliceRange.All, async (scope, token) =>
        {
            var table = ReadModelDatabase.Quote("Odd \"name\"");
            await scope.ExecuteAsync($"CREATE TABLE {table} (id bigint, owner text); DELETE FROM {table}", token);
            await scope.ExecuteAsync($"INSERT INTO {table} VALUES (@id, @owner), (2, NULL)", token, ("id", 1), ("owner", "O'Hara; --"));
            touched = await scope.ExecuteAsync($"UPDATE {table} SET owner = @owner WHERE id > @id", token, ("id", 1L), ("owner", null));
        }, null, default);

        Assert.Equal(1, touched);
        Assert.Equal("O'Hara; --", await readModel.ScalarAsync("SELECT owner FROM \"Odd \"\"name\"\"\" WHERE id = 1"));
    }

    [Fact]
    public void Names_are_quoted_and_invalid_names_are_refused()
    {
        Assert.Equal("\"a \"\" b.c\"", ReadModelDatabase.Quote("a \" b.c"));
        Assert.Throws<ArgumentException>(() => ReadModelDatabase.Quote(""));
        Assert.Throws<ArgumentException>(() => ReadModelDatabase.Quote("a\0b"));
    }

    [Fact]
    public void A_name_that_PostgreSQL_would_cut_is_refused()
    {
        var longest = new string('ä', 31) + "a";
        Assert.Equal($"\"{longest}\"", ReadModelDatabase.Quote(longest));
        Assert.Equal(
            $"The name of the table is \"{longest}b\", which has 64 bytes in UTF-8; it may have 63, because PostgreSQL cuts longer names. Take a shorter one.",
            Assert.Throws<ArgumentException>(() => ReadModelDatabase.Quote(longest + "b")).Message);
    }

    [Theory, OnPostgreSql]
    public async Task A_statement_may_take_longer_than_the_default_timeout_of_the_driver(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var store = new ProjectionStore(readModel.OfAnotherProcess("Command Timeout=1"));
        await store.CreateVersionAsync(TestReadModel.Row(), SliceRange.All, (scope, token) => scope.ExecuteAsync("SELECT pg_sleep(1.5)", token), null, default);
        Assert.Equal("accounts", (await readModel.ReadVersionAsync()).Version);
    }
}
