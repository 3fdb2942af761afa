using System.Data.Common;
using Microsoft.EntityFrameworkCore;
using Npgsql;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests.Databases;

public sealed class TransientErrorsTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task An_error_in_a_statement_is_not_transient(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("CREATE TABLE balance (id int PRIMARY KEY, amount int NOT NULL CHECK (amount >= 0))");
        await readModel.ExecuteAsync("INSERT INTO balance VALUES (1, 1)");

        foreach (var sql in new[]
        {
            "INSERT INTO balance VALUES (1, 1)", "INSERT INTO balance VALUES (2, NULL)", "UPDATE balance SET amount = -1", "SELEC 1",
            "SELECT * FROM no_such_table", "SELECT no_such_column FROM balance",
        })
        {
            var error = await Assert.ThrowsAnyAsync<DbException>(() => readModel.ExecuteAsync(sql));
            Assert.False(readModel.Store.IsTransient(error), $"{sql}: {error}");
            Assert.False(readModel.Store.IsTransient(new InvalidOperationException("An error of the handler.", error)));
            Assert.False(readModel.Store.IsTransient(new DbUpdateException("An error of EF Core.", error)));
        }
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task Network_and_machine_errors_are_transient_if_the_driver_reports_them(string database)
    {
        await using var readModel = await TestReadModel.AbsentAsync(database);

        foreach (var error in (Exception[])[new TimeoutException(), new IOException(), new System.Net.Sockets.SocketException()])
        {
            var driver = new NpgsqlException("Exception while reading from stream", error);
            Assert.True(readModel.Store.IsTransient(driver));
            Assert.True(readModel.Store.IsTransient(new AggregateException(driver)));
            Assert.True(readModel.Store.IsTransient(new InvalidOperationException("An error of the handler.", driver)));
            Assert.True(readModel.Store.IsTransient(new DbUpdateException("An error of EF Core.", driver)));
            Assert.False(readModel.Store.IsTransient(error));
            Assert.False(readModel.Store.IsTransient(new HttpRequestException("An error of the handler.", error)));
            Assert.False(readModel.Store.IsTransient(new TaskCanceledException("An error of the handler.", error)));
        }
        Assert.False(readModel.Store.IsTransient(new InvalidOperationException("An error of the handler.")));
        Assert.False(readModel.Store.IsTransient(new FencedException("Another process has it.")));
    }

    [Theory, OnSqlite]
    public async Task A_busy_file_and_a_file_that_cannot_be_opened_are_transient_errors(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await using var open = await readModel.Store.BeginAsync("accounts", 1, default);

        var busy = await Assert.ThrowsAnyAsync<DbException>(async () =>
        {
            await using var connection = await readModel.OfAnotherProcess("Default Timeout=1").Source.OpenConnectionAsync();
            await using var command = connection.CreateCommand();
            command.CommandText = "BEGIN IMMEDIATE";
            await command.ExecuteNonQueryAsync();
        });
        var missing = await Assert.ThrowsAnyAsync<DbException>(async () =>
            await readModel.OfAnotherProcess("Data Source=no-such-directory/read-model.db").Source.OpenConnectionAsync());

        Assert.True(readModel.Store.IsTransient(busy), busy.ToString());
        Assert.True(readModel.Store.IsTransient(missing), missing.ToString());
    }

    [Theory, OnPostgreSql]
    public async Task A_killed_session_is_a_transient_error(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var offsets = new LaneOffsets((await readModel.ReadLaneAsync()).Offsets);
        await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
        await transaction.MoveAsync(offsets.Stay());
        await readModel.ExecuteAsync($"SELECT pg_terminate_backend({await SessionAsync(transaction.Transaction)}, 10000)");

        var error = await Assert.ThrowsAnyAsync<Exception>(() => transaction.MoveAsync(offsets.Stay()));

        Assert.True(readModel.Store.IsTransient(error), error.ToString());
        var closed = await Assert.ThrowsAnyAsync<Exception>(() => transaction.CommitAsync());
        Assert.IsNotType<FencedException>(closed);
    }

    [Theory, OnPostgreSql]
    public async Task A_lock_timeout_is_a_transient_error(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var offsets = new LaneOffsets((await readModel.ReadLaneAsync()).Offsets);
        await using var open = await readModel.Store.BeginAsync("accounts", 1, default);
        await open.MoveAsync(offsets.Stay());
        var shortTimeout = new ProjectionStore(readModel.OfAnotherProcess("Options=-c lock_timeout=1ms"));
        await using var transaction = await shortTimeout.BeginAsync("accounts", 1, default);

        var error = await Assert.ThrowsAsync<PostgresException>(() => transaction.MoveAsync(offsets.Stay()));
        var aborted = await Assert.ThrowsAsync<PostgresException>(() => transaction.MoveAsync(offsets.Stay()));

        Assert.Equal(("55P03", "25P02"), (error.SqlState, aborted.SqlState));
        Assert.True(shortTimeout.IsTransient(error));
        Assert.True(shortTimeout.IsTransient(aborted));
    }

    [Theory, OnPostgreSql]
    public async Task A_refused_connection_is_a_transient_error_and_a_wrong_password_is_not(string database)
    {
        await using var readModel = await TestReadModel.AbsentAsync(database);

        var refused = await ErrorAsync(readModel, "Port=1;Timeout=5");
        var password = await ErrorAsync(readModel, "Password=wrong");

        Assert.True(readModel.Store.IsTransient(refused), refused.ToString());
        Assert.False(readModel.Store.IsTransient(password), password.ToString());
    }

    [Theory, OnPostgreSql]
    public async Task A_statement_timeout_is_a_transient_error(string database)
    {
        await using var readModel = await TestReadModel.AbsentAsync(database);

        var error = await Assert.ThrowsAsync<PostgresException>(() => readModel.ExecuteAsync("SET statement_timeout = 1; SELECT pg_sleep(60)"));

        Assert.Equal("57014", error.SqlState);
        Assert.True(readModel.Store.IsTransient(error));
    }

    [Theory, OnPostgreSql]
    public async Task A_cancelled_statement_is_not_repeated(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var offsets = new LaneOffsets((await readModel.ReadLaneAsync()).Offsets);
        await using var open = await readModel.Store.BeginAsync("accounts", 1, default);
        await open.MoveAsync(offsets.Stay());
        using var cancellation = new CancellationTokenSource();
        await using var waiting = await readModel.Store.BeginAsync("accounts", 1, cancellation.Token);

        var move = waiting.MoveAsync(offsets.Stay());
        await Wait.UntilAsync(async () => await readModel.WaitingForLocksAsync() > 0, () => "the move waits");
        await cancellation.CancelAsync();

        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => move);
        Assert.False(readModel.Store.IsTransient(error), error.ToString());
    }

    private static Task<Exception> ErrorAsync(TestReadModel readModel, string settings) => Assert.ThrowsAnyAsync<Exception>(
        () => new ProjectionStore(readModel.OfAnotherProcess(settings)).ReadAsync("accounts", 1, default));

    private static async Task<int> SessionAsync(DbTransaction transaction)
    {
        await using var command = transaction.Connection!.CreateCommand();
        (command.Transaction, command.CommandText) = (transaction, "SELECT pg_backend_pid()");
        return (int)(await command.ExecuteScalarAsync())!;
    }
}
