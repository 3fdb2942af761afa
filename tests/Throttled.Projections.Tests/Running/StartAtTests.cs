using System.Text;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

/// <summary>Projections that begin elsewhere than at the first event, on real databases.</summary>
public sealed class StartAtTests : IDisposable
{
    private readonly HostedFiles _files = new();

    public void Dispose() => _files.Delete();

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_projection_that_starts_now_handles_later_events_and_its_resets_and_rebuilds_too(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await using var appender = SqliteJournal.OpenAppender(_files.JournalString);
        await appender.CreateAsync();
        await appender.AppendAsync([Event("old-1"), Event("old-2")]);
        await using var journal = _files.OpenJournal();
        var handler = new Recorder();
        var control = new ProjectionControl(readModel.ReadModel, HurriedClock.Instance);
        await using (Start(journal, readModel, handler, ProjectionStart.Now))
        {
            await CreatedAsync(control);
            await appender.AppendAsync([Event("new-1")]);
            await LevelAsync(journal, readModel, 1);
        }
        await appender.AppendAsync([Event("new-2")]);
        await using (Start(journal, readModel, handler, ProjectionStart.FirstEvent))
        {
            await LevelAsync(journal, readModel, 2);
            Assert.Equal("'p' is empty and begins after 2.", await control.ResetAsync("p"));
            await LevelAsync(journal, readModel, 2);
            await control.RebuildAsync("p", "q");
            await Wait.UntilAsync(async () => (await control.StatusAsync("p")).Single(status => status.Version == "q") is { LagEvents: 0, Events: 2 }, () => "the rebuild");
            Assert.All(await control.StatusAsync("p"), status => Assert.Equal("2", status.StartOffset));
            await control.ResetAsync("p", 0);
            await LevelAsync(journal, readModel, 4);
        }
        Assert.Equal("p new-1,p new-2,p new-1,p new-2", string.Join(',', handler.Handled("p").Take(4)));
        Assert.Equal(["q new-1", "q new-2"], handler.Handled("q"));
        Assert.Equal("0", (await control.StatusAsync("p")).Single(status => status.Version == "p").StartOffset);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_projection_starts_at_a_time_or_after_an_ordering(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await using var appender = SqliteJournal.OpenAppender(_files.JournalString);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(1, 5).Select(hour => Event($"at-{hour}", new DateTime(2026, 1, 1, hour, 0, 0, DateTimeKind.Utc).Ticks))]);
        await using var journal = _files.OpenJournal();
        var handler = new Recorder();
        await using (Start(journal, readModel, handler, ProjectionStart.At(new(2026, 1, 1, 3, 0, 0, TimeSpan.Zero)), "time"))
        await using (Start(journal, readModel, handler, ProjectionStart.After(4), "ordering"))
        {
            await LevelAsync(journal, readModel, 3, "time");
            await LevelAsync(journal, readModel, 1, "ordering");
        }
        Assert.Equal(["time at-3", "time at-4", "time at-5"], handler.Handled("time"));
        Assert.Equal(["ordering at-5"], handler.Handled("ordering"));
    }

    // The event before is also handled, because its ordering is above that of the open transaction.
    [Theory, OnPostgreSql]
    public async Task An_event_that_commits_late_with_a_lower_ordering_is_handled(string database) =>
        Assert.Equal(["p after", "p before", "p late"], await HandledAroundLateCommitAsync(database, ProjectionStart.Now, events: 3));

    [Theory, OnPostgreSql]
    public async Task An_event_that_commits_late_with_a_lower_ordering_is_no_replay(string database) => Assert.Equal(
        ["p after", "p before", "p late", "p old-1 replay", "p old-2 replay"], await HandledAroundLateCommitAsync(database, ProjectionStart.FirstEvent, events: 5));

    // The lower ordering is committed last. The transactions of others go on and end meanwhile.
    private static async Task<IEnumerable<string>> HandledAroundLateCommitAsync(string database, ProjectionStart start, int events)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var connectionString = TestReadModel.Server.CreateDatabase();
        await using var appender = PostgreSqlJournal.OpenAppender(connectionString);
        await appender.CreateAsync();
        await appender.AppendAsync([Event("old-1"), Event("old-2")]);
        await using var source = NpgsqlDataSource.Create($"{connectionString};Pooling=false");
        await RolledBackAsync(source);
        await using var connection = await source.OpenConnectionAsync();
        await using var open = await connection.BeginTransactionAsync();
        await InsertAsync(connection, "late");
        await appender.AppendAsync([Event("before")]);

        await using var journal = PostgreSqlJournal.OpenReader(connectionString, new() { RefreshInterval = TimeSpan.FromMilliseconds(10) });
        var handler = new Recorder { MarksReplays = true };
        var control = new ProjectionControl(readModel.ReadModel, HurriedClock.Instance);
        await using (Start(journal, readModel, handler, start))
        {
            await CreatedAsync(control);
            await appender.AppendAsync([Event("after")]);
            await open.CommitAsync();
            await Wait.UntilAsync(() => handler.Handled("p").Length >= events, () => $"the {events} events");
            await LevelAsync(journal, readModel, events);
        }
        return handler.Handled("p").Order(StringComparer.Ordinal);
    }

    private static async Task RolledBackAsync(NpgsqlDataSource source)
    {
        await using var connection = await source.OpenConnectionAsync();
        await using var transaction = await connection.BeginTransactionAsync();
        await InsertAsync(connection, "never");
        await transaction.RollbackAsync();
    }

    private static async Task InsertAsync(NpgsqlConnection connection, string id)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "INSERT INTO journal (persistence_id, sequence_number, deleted, created, message, manifest) "
            + $"VALUES ('{id}', 1, false, 0, '1'::bytea, 'n')";
        await command.ExecuteNonQueryAsync();
    }

    private static Projection Start(JournalReader journal, TestReadModel readModel, Recorder handler, ProjectionStart start, string name = "p")
    {
        var projection = new Projection(journal, readModel.ReadModel, handler, new()
        {
            Name = name, StartAt = start, Lanes = 1, Decoder = new JsonEvents().Add<int>("n").Decode, TimeProvider = HurriedClock.Instance,
        });
        projection.Start();
        return projection;
    }

    private static Task CreatedAsync(ProjectionControl control) =>
        Wait.UntilAsync(async () => (await control.StatusAsync("p")).Count > 0, () => "the read model");

    private static async Task LevelAsync(JournalReader journal, TestReadModel readModel, int events, string name = "p")
    {
        await new ProjectionWaits(journal, readModel.ReadModel).WaitUntilLevelAsync(name, TimeSpan.FromMinutes(2));
        Assert.Equal(events, (await new ProjectionControl(readModel.ReadModel).StatusAsync(name)).Single(status => status.Role == VersionRole.Live).Events);
    }

    private static JournalEvent Event(string id, long timestamp = 0) => new()
    {
        PersistenceId = id, SequenceNumber = 1, Timestamp = timestamp, Manifest = "n", Payload = Encoding.UTF8.GetBytes("1"),
    };

    private sealed class Recorder : BatchHandler
    {
        private readonly List<string> _handled = [];

        internal bool MarksReplays { get; init; }

        internal string[] Handled(string version)
        {
            lock (_handled)
                return [.. _handled.Where(each => each.StartsWith($"{version} ", StringComparison.Ordinal))];
        }

        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            _ = batch.Transaction;
            lock (_handled)
                _handled.AddRange(batch.Select(each => $"{batch.Version} {each.PersistenceId}{(MarksReplays && each.IsReplay ? " replay" : "")}"));
            return Task.CompletedTask;
        }
    }
}
