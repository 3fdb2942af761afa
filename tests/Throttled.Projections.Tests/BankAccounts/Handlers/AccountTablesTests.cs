using BankAccounts.Domain;
using BankAccounts.Handlers;
using Throttled.Benchmarks.Accounts;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests.BankAccounts.Handlers;

/// <summary>The sample's handler with names that need quotes in SQL.</summary>
public sealed class AccountTablesTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_projection_whose_name_has_capitals_has_its_table_and_its_view(string database) => RunsAsync(database, "Balances", isMerged: true);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_name_that_has_quotes_and_statements_in_it_names_a_table_and_runs_nothing(string database) =>
        RunsAsync(database, "x\"'; DROP TABLE victim; --", isMerged: true);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task So_it_is_where_each_event_has_a_statement(string database) => RunsAsync(database, "x\"'; DROP TABLE victim; --", isMerged: false);

    private static async Task RunsAsync(string database, string name, bool isMerged)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("CREATE TABLE victim (id int)");
        var handler = ReplayHandler.Of(new(name, readModel.IsSqlite ? new SqliteAccounts() : readModel.IsSqlServer ? new SqlServerAccounts() : new PostgreSqlAccounts(), isMended: true), isMerged ? ReplayWriter.MergedWrites : ReplayWriter.Statements, _ => { });
        await CreateAsync(readModel, name, VersionRole.Live, handler);
        await CreateAsync(readModel, $"{name}2", VersionRole.Building, handler);
        await HandleAsync(readModel, name, handler);

        Assert.Equal(70L, await readModel.ScalarAsync($"SELECT balance FROM \"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\""));
        Assert.Equal(0, await readModel.CountAsync("victim"));
        await readModel.Store.SwapAsync(
            await CommandAsync(readModel, CommandVerb.Swap, $"{name}2"), name, (scope, token) => handler.SwapAsync(name, scope, token), default);
        Assert.Null(await readModel.ScalarAsync($"SELECT balance FROM \"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\""));
        await readModel.Store.DropAsync(await CommandAsync(readModel, CommandVerb.Drop, name), handler.DropAsync, default);
        Assert.Equal(0, await readModel.CountAsync("victim"));
    }

    private static Task CreateAsync(TestReadModel readModel, string version, VersionRole role, ProjectionHandler handler) =>
        readModel.Store.CreateVersionAsync(TestReadModel.Row(version, role: role), SliceRange.All, handler.PrepareAsync, null, default);

    // In the command table, the name is a value.
    private static Task<CommandRow> CommandAsync(TestReadModel readModel, CommandVerb verb, string version) =>
        readModel.CommandAsync(verb, version.Replace("'", "''", StringComparison.Ordinal));

    private static async Task HandleAsync(TestReadModel readModel, string version, ProjectionHandler handler)
    {
        object[] changes = [new AccountOpened("Ann"), new AccountCredited(100), new AccountDebited(30)];
        await using var transaction = await readModel.Store.BeginAsync(version, 1, default);
        List<ProjectionEvent> events = [.. changes.Select((change, i) => new ProjectionEvent(AccountFormat.Store("a", i + 1, change), change))];
        await handler.WriteEffectsAsync(new(version, events, transaction.Transaction, readModel.ReadModel.Dialect), default);
        await transaction.CommitAsync();
    }

    // The sample itself has no SQL Server.
    private sealed class SqlServerAccounts : AccountSql
    {
        internal override string Prepare(string version) =>
            $"""
            IF OBJECT_ID({Literal(Quoted(version))}, N'U') IS NULL CREATE TABLE {Quoted(version)} (
                account_id nvarchar(450) COLLATE Latin1_General_100_BIN2 PRIMARY KEY, owner nvarchar(200), balance bigint NOT NULL, events int NOT NULL);
            DELETE FROM {Quoted(version)};
            """;

        // A view must be alone in its batch.
        internal override string Show(string view, string version) =>
            $"EXEC({Literal($"CREATE OR ALTER VIEW {ReadModelDatabase.Quote(view)} AS {Select(TableOf(version))}")});";

        private static string Literal(string text) => $"N'{text.Replace("'", "''", StringComparison.Ordinal)}'";
    }
}
