using System.Data.Common;
using System.Text;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Failures;

/// <summary>
/// Handlers that catch the error of a statement. The database then rolls the transaction back: PostgreSQL after any error, SQLite and SQL Server if a
/// trigger requires it.
/// </summary>
public sealed class SwallowedErrorTests : IDisposable
{
    private const int Events = 40;
    private const int Refused = 17;

    private readonly HostedFiles _files = new();

    public void Dispose() => _files.Delete();

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_swallowed_error_is_a_failure_of_its_event_and_the_others_are_handled(string database)
    {
        await using var readModel = await WithTableAsync(database, rollsBack: true);

        await RunAsync(readModel, isBehindSavepoint: false, async control =>
            await Wait.UntilAsync(async () => (await control.StatusAsync("seen"))[0].Offset >= Events, () => "all events"));

        Assert.Equal(Events - 1, await readModel.CountAsync("seen"));
        Assert.Equal(0, await readModel.CountAsync($"seen WHERE number = {Refused}"));
        var deadLetter = Assert.Single(await new ProjectionControl(readModel.ReadModel).DeadLettersAsync("seen"));
        Assert.Equal($"id-{Refused}", deadLetter.Event.PersistenceId);
        Assert.Contains(readModel.IsSqlite || readModel.IsSqlServer ? "answers with a rollback" : "savepoint", deadLetter.Error, StringComparison.Ordinal);
    }

    [Theory, OnPostgreSql, OnSqlServer]
    public Task An_error_that_was_rolled_back_to_a_savepoint_fails_no_event(string database) => FailsNoneAsync(database, isBehindSavepoint: true);

    [Theory, OnSqlite, OnSqlServer]
    public Task An_error_that_leaves_the_transaction_open_fails_no_event(string database) => FailsNoneAsync(database, isBehindSavepoint: false);

    private async Task FailsNoneAsync(string database, bool isBehindSavepoint)
    {
        await using var readModel = await WithTableAsync(database, rollsBack: false);

        await RunAsync(readModel, isBehindSavepoint, async control =>
            await Wait.UntilAsync(async () => (await control.StatusAsync("seen"))[0].Offset >= Events, () => "all events"));

        Assert.Equal(Events - 1, await readModel.CountAsync("seen"));
        Assert.Empty(await new ProjectionControl(readModel.ReadModel).DeadLettersAsync("seen"));
    }

    private static async Task<TestReadModel> WithTableAsync(string database, bool rollsBack)
    {
        var readModel = await TestReadModel.CreateAsync(database);
        var trigger = !rollsBack ? null
            : readModel.IsSqlite ? $"CREATE TRIGGER refuse BEFORE INSERT ON seen WHEN NEW.number = {Refused} BEGIN SELECT RAISE(ROLLBACK, 'refused'); END"
            : readModel.IsSqlServer ? $"CREATE TRIGGER refuse ON seen AFTER INSERT AS IF EXISTS (SELECT 1 FROM inserted WHERE number = {Refused}) ROLLBACK TRANSACTION"
            : null;
        await readModel.ExecuteAsync($"CREATE TABLE seen (number int PRIMARY KEY, CHECK (number <> {(trigger is null ? Refused : 0)}))");
        if (trigger is not null)
            await readModel.ExecuteAsync(trigger);
        return readModel;
    }

    private async Task RunAsync(TestReadModel readModel, bool isBehindSavepoint, Func<ProjectionControl, Task> until)
    {
        await AppendAsync();
        await using var journal = _files.OpenJournal();
        await using var projection = new Projection(journal, readModel.ReadModel, new Swallower(isBehindSavepoint), new()
        {
            Name = "seen",
            Lanes = 1,
            MaxAttempts = 1,
            OnFailure = FailurePolicy.DeadLetter,
            Decoder = new JsonEvents().Add<int>("number").Decode,
            TimeProvider = HurriedClock.Instance,
        });
        projection.Start();
        await Wait.UntilAsync(async () => (await new ProjectionControl(readModel.ReadModel).StatusAsync("seen")).Count > 0, () => "the start");
        await until(new(readModel.ReadModel));
    }

    private async Task AppendAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(_files.JournalString);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(1, Events).Select(number => new JournalEvent
        {
            PersistenceId = $"id-{number}",
            SequenceNumber = 1,
            Manifest = "number",
            Payload = Encoding.UTF8.GetBytes($"{number}"),
        })]);
    }

    /// <summary>Catches every error, as if the row existed already.</summary>
    private sealed class Swallower(bool isBehindSavepoint) : BatchHandler
    {
        public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            foreach (var each in batch)
                await TryAsync(batch, (int)each.Payload, cancellationToken);
        }

        private async Task TryAsync(ProjectionBatch batch, int number, CancellationToken cancellation)
        {
            if (isBehindSavepoint)
                await batch.Transaction.SaveAsync("before", cancellation);
            try
            {
                await using var command = batch.Connection.CreateCommand();
                (command.Transaction, command.CommandText) = (batch.Transaction, $"INSERT INTO seen VALUES ({number})");
                await command.ExecuteNonQueryAsync(cancellation);
            }
            catch (Exception error) when (error is DbException or InvalidOperationException)
            {
                if (isBehindSavepoint)
                    await batch.Transaction.RollbackAsync("before", cancellation);
            }
        }
    }
}
