using Throttled.Journal;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>What a handler is given to make, empty, swap and drop a read model with.</summary>
public sealed class ScopeTests
{
    [Theory, OnSqlite, OnPostgreSql]
    public async Task A_hook_is_told_whether_its_read_model_is_the_live_one(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        List<string> told = [];
        await CreateAsync("accounts", VersionRole.Live);
        await CreateAsync("built", VersionRole.Building);
        await ResetAsync("accounts");
        await ResetAsync("built");
        await readModel.Store.SwapAsync(await readModel.CommandAsync(CommandVerb.Swap, "built"), "accounts", Record("swap"), default);
        await ResetAsync("built");
        await readModel.Store.DropAsync(await readModel.CommandAsync(CommandVerb.Drop), Record("drop"), default);

        Assert.Equal(
            ["create accounts True", "create built False", "reset accounts True", "reset built False", "swap built True", "reset built True", "drop accounts False"], told);

        Task CreateAsync(string version, VersionRole role) =>
            readModel.Store.CreateVersionAsync(TestReadModel.Row(version, role: role), SliceRange.All, Record("create"), null, default);

        async Task ResetAsync(string version) =>
            await readModel.Store.ResetAsync(await readModel.CommandAsync(CommandVerb.Reset, version), TestReadModel.To(0), Record("reset"), default);

        Func<ReadModelScope, CancellationToken, Task> Record(string what) => (scope, _) =>
        {
            told.Add($"{what} {scope.Version} {scope.IsLive}");
            return Task.CompletedTask;
        };
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task A_statement_takes_values_as_parameters_and_tells_how_many_rows_it_touched(string database)
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
    public void A_name_is_quoted_whatever_is_in_it_and_what_is_no_name_is_refused()
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
    public async Task A_statement_takes_longer_than_the_driver_would_wait(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var store = new ProjectionStore(readModel.OfAnotherProcess("Command Timeout=1"));
        await store.CreateVersionAsync(TestReadModel.Row(), SliceRange.All, (scope, token) => scope.ExecuteAsync("SELECT pg_sleep(1.5)", token), null, default);
        Assert.Equal("accounts", (await readModel.ReadVersionAsync()).Version);
    }
}
