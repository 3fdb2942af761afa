using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Store;

/// <summary>A caller pauses a version and waits until the processes have reported that its lanes are stopped.</summary>
public sealed class PauseTests
{
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    private readonly FakeClock _clock = new();
    private readonly List<string> _notices = [];

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_pause_waits_for_the_report_of_each_process_or_for_the_end_of_its_lease(string database)
    {
        await using var readModel = await RunningAsync(database);
        var pause = Control(readModel).PauseAsync("accounts", timeout: Hour);
        await StoredAsync(readModel);
        await StaysAsync(pause, readModel);

        await ReportAsync(readModel, "p0", 0, stopped: 0);
        await StaysAsync(pause, readModel);
        _clock.Advance(TimeSpan.FromSeconds(5));
        await Wait.UntilAsync(() => _notices.Count == 1, () => "the notice");
        Assert.StartsWith("'accounts' is paused, and the pause is stored. Each lane stops after its current batch. Not stopped yet: lane 1 of 'p1'", _notices[0], StringComparison.Ordinal);

        await ExpireAsync(readModel);
        Assert.Equal("'accounts' is paused; no lane runs.", await UntilEndAsync(pause));
    }

    // The process has not seen the second pause yet: its lanes run since the resume.
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_report_from_before_the_last_resume_does_not_count(string database)
    {
        await using var readModel = await RunningAsync(database);
        foreach (var lane in new[] { 0, 1 })
            await ReportAsync(readModel, $"p{lane}", lane, stopped: 0);
        var control = Control(readModel);
        Assert.Equal("'accounts' is paused; no lane runs.", await control.PauseAsync("accounts"));
        await control.ResumeAsync("accounts");

        var pause = control.PauseAsync("accounts", timeout: Hour);
        await StoredAsync(readModel);
        await StaysAsync(pause, readModel);
        foreach (var lane in new[] { 0, 1 })
            await ReportAsync(readModel, $"p{lane}", lane, stopped: 1);
        await UntilEndAsync(pause);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_lane_that_is_claimed_or_released_has_no_report(string database)
    {
        await using var readModel = await RunningAsync(database);
        await ReportAsync(readModel, "p0", 0, stopped: 0);
        await readModel.Store.ReleaseAsync("accounts", [0], "p0", default);
        Assert.Equal(0, await readModel.CountAsync("throttled_projection_lane WHERE stopped_after_resumes IS NOT NULL"));
        await readModel.Store.ClaimAsync("accounts", 1, [0], "p1", Hour, default);
        var pause = Control(readModel).PauseAsync("accounts", timeout: TimeSpan.FromSeconds(30));
        await StoredAsync(readModel);
        await StaysAsync(pause, readModel);

        _clock.Advance(TimeSpan.FromSeconds(30));
        var error = await Assert.ThrowsAsync<TimeoutException>(() => pause);
        Assert.Contains("Not stopped yet: lanes 0, 1 of 'p1' (idle", error.Message, StringComparison.Ordinal);
        Assert.True((await readModel.ReadVersionAsync()).IsPaused);
        await readModel.Store.LeaveAsync("accounts", "p1", default);
        Assert.Equal("'accounts' was paused already; no lane runs.", await Control(readModel).PauseAsync("accounts"));
    }

    // Such a process claims, renews and pauses its lanes, and leaves the column of the report empty.
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_pause_of_a_process_of_an_older_release_ends_by_itself_and_names_the_process(string database)
    {
        await using var readModel = await RunningAsync(database);
        await ReportAsync(readModel, "p0", 0, null, LaneState.Running);
        await ReportAsync(readModel, "p1", 1, null, LaneState.Idle);
        var pause = Control(readModel).PauseAsync("accounts");
        await StoredAsync(readModel);
        await StaysAsync(pause, readModel);
        _clock.Advance(TimeSpan.FromMinutes(1));
        var error = await Assert.ThrowsAsync<TimeoutException>(() => pause);
        Assert.EndsWith(
            "Not stopped yet: lane 0 of 'p0'; lane 1 of 'p1' (idle, no report: it is just claiming lanes, or it is an older release; if so, stop or update it).",
            error.Message, StringComparison.Ordinal);
        Assert.True((await readModel.ReadVersionAsync()).IsPaused);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_cancelled_wait_leaves_the_pause_and_says_so(string database)
    {
        await using var readModel = await RunningAsync(database);
        using var cancellation = new CancellationTokenSource();
        var pause = Control(readModel).PauseAsync("accounts", cancellationToken: cancellation.Token);
        await StoredAsync(readModel);
        await StaysAsync(pause, readModel);
        await cancellation.CancelAsync();
        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pause);
        Assert.StartsWith("'accounts' is paused, and the pause is stored.", error.Message, StringComparison.Ordinal);
        Assert.True((await readModel.ReadVersionAsync()).IsPaused);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_resume_ends_the_wait_of_a_pause(string database)
    {
        await using var readModel = await RunningAsync(database);
        var pause = Control(readModel).PauseAsync("accounts", timeout: Hour);
        await StoredAsync(readModel);
        Assert.Equal("'accounts' is resumed; its processes notice within some seconds.", await Control(readModel).ResumeAsync("accounts"));
        Assert.Equal("'accounts' was resumed while its lanes were being stopped.", (await Assert.ThrowsAsync<ProjectionException>(() => UntilEndAsync(pause))).Message);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_version_that_was_resumed_just_now_gets_no_new_epoch(string database)
    {
        await using var readModel = await RunningAsync(database);
        await ExpireAsync(readModel);
        Assert.False((await new ControlStore(readModel.ReadModel).EndPauseAsync("accounts", default)).IsPaused);
        Assert.Equal(1, (await readModel.ReadVersionAsync()).Epoch);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_resume_names_the_failed_lanes_that_are_tried_again(string database)
    {
        await using var readModel = await RunningAsync(database);
        await ReportAsync(readModel, "p1", 1, null, LaneState.Failed);
        Assert.Equal("'accounts' was not paused; its failed lanes are tried again: 1.", await Control(readModel).ResumeAsync("accounts"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(50)]
    public async Task A_time_out_that_is_not_possible_is_refused_before_the_pause_is_stored(int days)
    {
        await using var readModel = await RunningAsync(OnSqliteAttribute.Name);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Control(readModel).PauseAsync("accounts", timeout: TimeSpan.FromDays(days)));
        Assert.False((await readModel.ReadVersionAsync()).IsPaused);
    }

    // It has lost its lease to another process, and its offsets have not changed.
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_process_that_was_suspended_cannot_write_after_the_pause(string database)
    {
        await using var readModel = await RunningAsync(database);
        var suspended = await readModel.ReadLaneAsync();
        await ExpireAsync(readModel);
        await readModel.Store.ClaimAsync("accounts", 1, [0], "p2", Hour, default);
        await ReportAsync(readModel, "p2", 0, stopped: 0);
        Assert.Equal("'accounts' is paused; no lane runs.", await Control(readModel).PauseAsync("accounts"));

        await Assert.ThrowsAsync<FencedException>(() => readModel.MoveAsync(new LaneOffsets(suspended.Offsets).MoveTo(7, 1, 1)));
        var after = await readModel.ReadLaneAsync();
        Assert.Equal((suspended.Epoch + 1, (await readModel.ReadVersionAsync()).Epoch), (after.Epoch, after.Epoch));
        Assert.Equal(suspended.Offsets, after.Offsets);
    }

    // SQLite has one writer at a time, so the pause itself cannot be stored there.
    [Theory, OnPostgreSql]
    public async Task A_pause_waits_for_the_transaction_of_a_process_whose_lease_has_ended(string database)
    {
        await using var readModel = await RunningAsync(database);
        await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
        await transaction.MoveAsync(new LaneOffsets((await readModel.ReadLaneAsync()).Offsets).MoveTo(7, 1, 1));
        await ExpireAsync(readModel);
        var pause = Control(readModel).PauseAsync("accounts", timeout: Hour);
        await Wait.UntilAsync(async () => await readModel.WaitingForLocksAsync() > 0, () => "the pause waits for the lane's transaction");
        Assert.False(pause.IsCompleted);
        // A reset, too, locks the offsets before the version. In the other order they would deadlock.
        await readModel.ExecuteAsync("SELECT 1 FROM throttled_projection WHERE version = 'accounts' FOR UPDATE NOWAIT");
        await transaction.CommitAsync();
        Assert.Equal("'accounts' is paused; no lane runs.", await UntilEndAsync(pause));
    }

    private ProjectionControl Control(TestReadModel readModel) => new(readModel.ReadModel, _clock) { OnLongWait = _notices.Add };

    private static async Task<TestReadModel> RunningAsync(string database)
    {
        var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        foreach (var lane in new[] { 0, 1 })
            await readModel.Store.ClaimAsync("accounts", 1, [lane], $"p{lane}", Hour, default);
        return readModel;
    }

    private static Task ReportAsync(TestReadModel readModel, string process, int lane, long? stopped, LaneState state = LaneState.Idle) => readModel.Store.RenewAsync(
        "accounts", process, Hour,
        new Dictionary<string, IReadOnlyList<LaneReport>> { ["accounts"] = [new(lane, state, null, 0) { StoppedAfterResumes = stopped }] }, default);

    private static Task ExpireAsync(TestReadModel readModel) => readModel.ExecuteAsync(
        $"UPDATE throttled_projection_lane SET lease_until = {readModel.Dialect.Later("-1")}");

    private static Task StoredAsync(TestReadModel readModel) => Wait.UntilAsync(async () => (await readModel.ReadVersionAsync()).IsPaused, () => "the pause is stored");

    // Two polls after a change of the tables see it. The timers are those of the notice, of the poll and of the time-out.
    private async Task StaysAsync(Task pause, TestReadModel readModel, int timers = 3)
    {
        for (var poll = 0; poll < 2; poll++)
        {
            await Wait.UntilAsync(() => pause.IsCompleted || _clock.Set >= timers, () => "the next poll is due");
            _clock.Advance(TimeSpan.FromMilliseconds(100));
        }
        await Wait.UntilAsync(() => pause.IsCompleted || _clock.Set >= timers, () => "the poll has ended");
        Assert.False(pause.IsCompleted, "The pause has ended.");
        Assert.True((await readModel.ReadVersionAsync()).IsPaused);
    }

    // The clock runs ahead of the database, so these pauses have an hour.
    private async Task<string> UntilEndAsync(Task<string> pause)
    {
        await Wait.UntilAsync(
            () =>
            {
                _clock.Advance(TimeSpan.FromMilliseconds(100));
                return pause.IsCompleted;
            },
            () => "the pause ends");
        return await pause;
    }
}
