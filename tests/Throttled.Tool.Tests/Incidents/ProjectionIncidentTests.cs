using System.Text.Json;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;
using Throttled.Projections;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Tool.Tests.Incidents;

/// <summary>Incidents of a projection on SQLite. The entries of the runbook have the output of these tests.</summary>
[Trait("Category", "Long")]
public sealed class ProjectionIncidentTests(ITestOutputHelper output) : IAsyncLifetime
{
    private const string Poison = "account-2";
    private const string LongAgo = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 hour')";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-incidents-");
    private readonly string _name = $"totals-{Guid.NewGuid().ToString()[..6]}";
    private readonly AheadClock _clock = new();
    private OperatorView _view = null!;
    private JournalReader _journal = null!;
    private int _number;

    private string Journal => $"Data Source={Path.Combine(_directory.FullName, "journal.db")}";

    private string Model => $"Data Source={Path.Combine(_directory.FullName, "model.db")}";

    private string[] Show => ["projections", "show", _name, "--database", "sqlite", "--connection", Model];

    public async Task InitializeAsync()
    {
        await using (var appender = SqliteJournal.OpenAppender(Journal))
            await appender.CreateAsync();
        await AppendAsync("account-1", "account-3");
        _journal = SqliteJournal.OpenReader(Journal, new() { Name = $"{_name}-journal" });
        _view = await OperatorView.OpenAsync(_name, output, ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource(Model)));
    }

    public async Task DisposeAsync()
    {
        await _view.DisposeAsync();
        await _journal.DisposeAsync();
        SqliteConnection.ClearAllPools();
        _directory.Delete(recursive: true);
    }

    [Fact]
    public async Task A_poison_event_stops_its_lane_and_its_error_is_shown_until_the_lane_is_resumed()
    {
        var totals = new Totals { Fault = Throw };
        await using var projection = Start(totals, FailurePolicy.Stop);
        await AppendAsync(Poison);

        await _view.AlertAsync("ThrottledLaneStopped");
        await _view.AlertAsync("ThrottledProjectionEventsFail");
        await _view.ToolAsync(Show, 0, "behind", "lanes 1 of 2 run", "failed 0/s web-1", "failed (The account has no currency)");
        await _view.ProjectionAsync(each => Lanes(each, "state", "failed") == 1);

        totals.Fault = null;
        await _view.ToolAsync(["projections", "resume", .. Show[2..]], 0, "its failed lanes are tried again: ");
        await _view.ToolAsync(Show, 0, "caught up", "lanes 2 of 2 run");
        await _view.QuietAsync("ThrottledLaneStopped");
    }

    [Fact]
    public async Task A_poison_event_becomes_a_dead_letter_which_is_listed_with_what_queues_behind_it()
    {
        var totals = new Totals { Fault = Throw };
        await using var projection = Start(totals, FailurePolicy.DeadLetter);
        await AppendAsync(Poison);
        await AppendAsync(Poison);

        await _view.AlertAsync("ThrottledDeadLetters");
        await _view.ToolAsync(Show, 0, "caught up", $"dead letters 2: throttled dead-letters list {_name}", "lanes 2 of 2 run");
        await _view.ToolAsync(["dead-letters", "list", .. Show[2..]], 0, $"{Poison} ", "1 System.InvalidOperationException: The account has no currency.");
        await _view.ProjectionAsync(each => each.GetProperty("deadLetters").GetInt64() == 2);

        totals.Fault = null;
        await _view.ToolAsync(["dead-letters", "retry", _name, Poison, .. Show[3..]], 0, "");
        await _view.ToolAsync(Show, 0, "dead letters 0");
        await _view.QuietAsync("ThrottledDeadLetters");
    }

    [Fact]
    public async Task A_stopped_application_leaves_lanes_without_owner_and_its_missing_metric_fires_an_alert()
    {
        await using (Start(new Totals()))
        {
            await _view.ToolAsync(Show, 0, "caught up", "lanes 2 of 2 run");
            Assert.False(_view.HasAlert("ThrottledProjectionGone"));
        }
        await AppendAsync("account-1");
        await ExecuteAsync($"UPDATE throttled_projection SET journal_end_seen_at = {LongAgo}");

        await _view.ToolAsync(
            Show, 0, "live, lanes without a process: 2 of 2, reads", "lag not known: the journal's end was last seen at", "lanes 0 of 2 run", "0 0-511 idle 0/s no owner", "1 512-1023 idle 0/s no owner");
        await _view.ProjectionAsync(each => Lanes(each, "owner", null) == 2 && each.GetProperty("lagEvents").ValueKind == JsonValueKind.Null);
        // A process that does not run reports nothing.
        Assert.False(_view.HasAlert("ThrottledProjectionLags"));
        Assert.False(_view.HasAlert("ThrottledLaneStopped"));
        Assert.False(_view.HasAlert("ThrottledLaneUnowned"));
        await _view.AlertAsync("ThrottledProjectionGone");

        await using var again = Start(new Totals());
        await _view.QuietAsync("ThrottledProjectionGone");
    }

    [Fact]
    public async Task Lanes_that_no_other_process_may_take_over_are_reported_by_a_process_that_is_left()
    {
        await using var left = Start(new Totals(), process: "web-2", part: 0);
        await using (Start(new Totals(), part: 1))
        {
            await _view.ToolAsync(Show, 0, "caught up", "lanes 2 of 2 run");
            await _view.QuietAsync("ThrottledLaneUnowned");
        }
        // The end of the journal was seen a moment ago, so the lag is known.
        await _view.ToolAsync(Show, 0, "live, lanes without a process: 1 of 2, reads", "lag none");
        await AppendAsync("account-1");

        await _view.AlertAsync("ThrottledLaneUnowned");
        await _view.ToolAsync(Show, 0, "lanes without a process: 1 of 2", "lanes 1 of 2 run", "/s web-2", "1 512-1023 idle 0/s no owner");
        await _view.ProjectionAsync(each => Lanes(each, "owner", null) == 1);
        Assert.False(_view.HasAlert("ThrottledProjectionGone"));

        await using var next = Start(new Totals(), part: 1);
        await _view.QuietAsync("ThrottledLaneUnowned");
    }

    [Fact]
    public async Task A_killed_application_owns_its_lanes_until_its_leases_expire_and_then_another_takes_them_over()
    {
        await using (Start(new Totals(), lease: TimeSpan.FromMinutes(5)))
        {
            await _view.ToolAsync(Show, 0, "caught up", "lanes 2 of 2 run");
            await ExecuteAsync("CREATE TABLE left_lanes AS SELECT * FROM throttled_projection_lane; CREATE TABLE left_process AS SELECT * FROM throttled_projection_process");
        }
        // A killed process does not release its lanes, so its rows are as they were while it ran.
        await ExecuteAsync(
            "INSERT OR REPLACE INTO throttled_projection_lane SELECT * FROM left_lanes; INSERT OR REPLACE INTO throttled_projection_process SELECT * FROM left_process");
        await ExecuteAsync($"UPDATE throttled_projection SET journal_end_seen_at = {LongAgo}");

        await using var next = Start(new Totals(), process: "web-2");
        await Wait.UntilAsync(() => IsAsync("SELECT count(*) FROM throttled_projection_process WHERE process = 'web-2'", 1), () => "a second process");
        await AppendAsync("account-1");
        await _view.ToolAsync(Show, 0, "has not seen the journal lately", "lanes 2 of 2 run", "/s web-1");
        await _view.ProjectionAsync(each => Lanes(each, "owner", "web-1") == 2);
        Assert.False(_view.HasAlert("ThrottledLaneStopped"));

        await ExecuteAsync($"UPDATE throttled_projection_lane SET lease_until = {LongAgo}; UPDATE throttled_projection_process SET lease_until = {LongAgo} WHERE process = 'web-1'");
        await _view.ToolAsync(Show, 0, "caught up", "lanes 2 of 2 run", "web-2");
        await _view.ProjectionAsync(each => Lanes(each, "owner", "web-2") == 2);
    }

    [Fact]
    public async Task A_full_disk_under_the_read_model_is_named_by_its_lane_until_there_is_room()
    {
        var totals = new Totals { Fault = FillAsync };
        await using var projection = Start(totals);

        await _view.AlertAsync("ThrottledLaneRetries");
        await _view.ToolAsync(Show, 0, "behind", "retrying 0/s web-1", "database or disk is full");
        await _view.ProjectionAsync(each => Lanes(each, "state", "retrying") >= 1);

        totals.Fault = (batch, cancellation) => batch.ExecuteAsync("PRAGMA max_page_count = 1000000", cancellation);
        await _view.ToolAsync(Show, 0, "caught up", "lanes 2 of 2 run");
        await _view.QuietAsync("ThrottledLaneRetries");
    }

    [Fact]
    public async Task A_slow_disk_under_the_read_model_shows_in_the_time_of_transactions()
    {
        var (begun, disk) = (new TaskCompletionSource(), new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        await using var projection = Start(new Totals
        {
            Fault = (_, cancellation) =>
            {
                begun.TrySetResult();
                return disk.Task.WaitAsync(cancellation);
            },
        });
        await begun.Task.WithinAsync("a transaction");

        _clock.Advance(TimeSpan.FromSeconds(70));
        disk.SetResult();
        await _view.AlertAsync("ThrottledProjectionTransactionsSlow");
        await _view.ToolAsync(Show, 0, "caught up", "lanes 2 of 2 run");
    }

    private static int Lanes(JsonElement projection, string property, string? value) =>
        projection.GetProperty("lanes").EnumerateArray().Count(lane => lane.GetProperty(property).GetString() == value);

    private Projection Start(Totals totals, FailurePolicy onFailure = FailurePolicy.Stop, string process = "web-1", TimeSpan? lease = null, int? part = null)
    {
        var projection = new Projection(_journal, ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource(Model)), totals, new ProjectionOptions
        {
            Name = _name,
            Lanes = 2,
            MaxAttempts = 2,
            OnFailure = onFailure,
            ProcessName = process,
            LeaseDuration = lease ?? TimeSpan.FromSeconds(10),
            Decoder = static each => each.PersistenceId,
            TimeProvider = _clock,
            LaneOwnership = part is { } assigned ? Assigned(assigned) : LaneOwnership.Even,
        });
        projection.Start();
        return projection;
    }

    // Each lane is a part.
    private static AssignedLanes Assigned(int part)
    {
        var lanes = new AssignedLanes(2);
        lanes.Add(part);
        return lanes;
    }

    private async Task AppendAsync(params string[] ids)
    {
        await using var appender = SqliteJournal.OpenAppender(Journal);
        await appender.AppendAsync([.. ids.Select(id => Event(id, ++_number))]);
    }

    private static JournalEvent Event(string id, long number) =>
        new() { PersistenceId = id, SequenceNumber = number, Manifest = "deposited", Payload = "{}"u8.ToArray(), Timestamp = TimeProvider.System.GetUtcNow().UtcTicks };

    private static Task Throw(ProjectionBatch batch, CancellationToken cancellation)
    {
        foreach (var each in batch.Where(each => each.PersistenceId == Poison))
            throw new EventFailedException(each.Ordering, new InvalidOperationException("The account has no currency."));
        return Task.CompletedTask;
    }

    // The limit of one connection: the error is that of a full disk.
    private static async Task FillAsync(ProjectionBatch batch, CancellationToken cancellation)
    {
        await batch.ExecuteAsync("PRAGMA max_page_count = 1", cancellation);
        await batch.ExecuteAsync("INSERT INTO totals (note) VALUES (zeroblob(1000000))", cancellation);
    }

    private async Task ExecuteAsync(string sql)
    {
        await using var connection = new SqliteConnection($"{Model};Pooling=False");
        await connection.OpenAsync();
        await connection.RunAsync(sql);
    }

    private async Task<bool> IsAsync(string sql, long count)
    {
        await using var connection = new SqliteConnection($"{Model};Pooling=False");
        await connection.OpenAsync();
        return await connection.ScalarAsync<long>(sql) == count;
    }

    /// <summary>Notes each event in a table.</summary>
    private sealed class Totals : BatchHandler
    {
        /// <summary>What goes wrong first in each batch.</summary>
        internal Func<ProjectionBatch, CancellationToken, Task>? Fault { get; set; }

        public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) =>
            scope.ExecuteAsync("CREATE TABLE IF NOT EXISTS totals (note)", cancellationToken);

        public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            if (Fault is { } fault)
                await fault(batch, cancellationToken);
            foreach (var each in batch)
                await batch.ExecuteAsync("INSERT INTO totals (note) VALUES (@note)", cancellationToken, ("note", each.PersistenceId));
        }
    }
}
