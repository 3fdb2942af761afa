using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Running;

/// <summary>Where a new read model begins, and where its resets and rebuilds do.</summary>
public sealed class StartPointTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void A_projection_that_starts_now_begins_at_the_end_of_the_journal_and_says_so()
    {
        _cluster.Start("a", Now);
        Assert.Equal(("1000", 1_000), Start("p"));
        Assert.Equal("Projection p: the read model p is new and begins after 1000.", Assert.Single(_cluster.Log.TextsOf(110)));
    }

    [Fact]
    public void It_begins_below_the_end_if_open_transactions_may_commit_below_it()
    {
        _cluster.Now = () => Task.FromResult(940L);
        _cluster.Start("a", Now);
        Assert.Equal(("940", 940), Start("p"));
    }

    [Fact]
    public void At_an_empty_journal_now_is_the_first_event()
    {
        _cluster.End = () => 0;
        _cluster.Start("a", Now);
        Assert.Equal((null, 0), Start("p"));
    }

    [Fact]
    public void A_time_is_searched_and_a_later_one_is_now()
    {
        _cluster.Events.AddRange(Enumerable.Range(1, 1_000).Select(ordering => Lanes.Make.Event(ordering, timestamp: ordering * 10)));
        _cluster.Start("a", options => options with { StartAt = ProjectionStart.At(new(5_000, TimeSpan.Zero)) });
        Assert.Equal(("499", 499), Start("p"));
        _cluster.Tables.Versions.Clear();
        _cluster.Start("b", options => options with { StartAt = ProjectionStart.At(DateTimeOffset.MaxValue) });
        Assert.Equal(("1000", 1_000), Start("p"));
    }

    [Fact]
    public async Task An_ordering_that_the_journal_does_not_have_ends_the_projection_with_the_setting()
    {
        var refusal = await Assert.ThrowsAsync<ProjectionException>(
            () => _cluster.Start("a", options => options with { StartAt = ProjectionStart.After(1_001) }).Runner.Completion);
        Assert.Equal("'StartAt' of the projection 'p' is 'after 1001'. The ordering 1001 is not in the journal; it must be from 0 to 1000.", refusal.Message);
        _cluster.Map = ShardMap.Parse("0-3,4-1023");
        refusal = await Assert.ThrowsAsync<ProjectionException>(
            () => _cluster.Start("b", options => options with { StartAt = ProjectionStart.After(7) }).Runner.Completion);
        Assert.Contains("'StartAt' of the projection 'p' is 'after 7'. The ordering 7 is ambiguous", refusal.Message, StringComparison.Ordinal);
        Assert.Empty(_cluster.Tables.Versions);
    }

    [Fact]
    public void In_a_sharded_journal_each_shard_has_its_own_start_and_it_is_kept_when_shards_are_divided()
    {
        _cluster.Map = ShardMap.Parse("0-3,4-1023");
        var ends = new Queue<long>([70, 900]);
        _cluster.Now = () => Task.FromResult(ends.Dequeue());
        _cluster.Start("a", Now);
        Assert.Equal("0-3:70,4-1023:900", Row("p").StartOffset);
        Assert.Equal((70, 900), (_cluster.Tables.Versions["p"].At[3], _cluster.Tables.Versions["p"].At[4]));
        _cluster.Map = ShardMap.Parse("0-3,4-7,8-1023");
        _cluster.Start("b");
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p").State);
        Assert.Equal((70, 900, 900), (_cluster.Tables.Versions["p"].At[3], _cluster.Tables.Versions["p"].At[4], _cluster.Tables.Versions["p"].At[15]));
    }

    [Fact]
    public void Of_two_processes_that_create_at_once_the_first_decides()
    {
        var (first, second) = (_cluster.Make("a", Now), _cluster.Make("b", Now));
        var blocked = new TaskCompletionSource();
        first.Store.Slow = call => call == "create" ? blocked.Task : Task.CompletedTask;
        first.Start();
        _cluster.Advance(1);
        _cluster.End = () => 1_500;
        second.Start();
        _cluster.Advance(3);
        blocked.SetResult();
        _cluster.Advance(3);
        Assert.Equal(("1500", 1_500), Start("p"));
        Assert.Equal("after 1500.", Assert.Single(_cluster.Log.TextsOf(110))[^"after 1500.".Length..]);
        Assert.Equal(("0,1", "2,3"), (first.Lanes(), second.Lanes()));
    }

    [Fact]
    public void A_process_that_dies_before_it_stores_the_start_leaves_nothing()
    {
        var first = _cluster.Make("a", Now);
        first.Store.Slow = call => call == "create" ? new TaskCompletionSource().Task : Task.CompletedTask;
        first.Start();
        _cluster.Advance(3);
        first.Die();
        _cluster.End = () => 1_500;
        _cluster.Start("b", Now);
        Assert.Equal(("1500", 1_500), Start("p"));
    }

    [Fact]
    public void A_start_whose_answer_was_lost_is_kept()
    {
        var process = _cluster.Make("a", Now);
        var lost = 0;
        process.Store.LateFault = call =>
        {
            if (call != "create" || lost++ > 0)
                return null;
            _cluster.End = () => 1_500;
            return new TimeoutException("lost");
        };
        process.Start();
        _cluster.Advance(3);
        Assert.Equal(("1000", 1_000), Start("p"));
        Assert.Equal("0,1,2,3", process.Lanes());
    }

    [Fact]
    public void While_the_journal_is_unavailable_nothing_is_created_and_the_journal_is_named()
    {
        _cluster.End = () => throw new JournalException("The journal is away.");
        var process = _cluster.Start("a", Now);
        _cluster.Advance(10);
        Assert.Empty(_cluster.Tables.Versions);
        Assert.Equal((null, "The journal is away"), (process.Runner.StoreUnavailable, process.Runner.JournalUnavailable?.Reason));
        _cluster.End = () => 1_000;
        _cluster.Advance(3);
        Assert.Equal(("1000", 1_000), Start("p"));
        Assert.Null(process.Runner.JournalUnavailable);
    }

    [Fact]
    public void A_handler_that_cannot_create_its_read_model_begins_when_it_can()
    {
        var process = _cluster.Make("a", Now);
        process.Handler.Fault = hook => hook == "prepare p" ? new InvalidOperationException("my bug") : null;
        process.Start();
        _cluster.Advance(10);
        _cluster.End = () => 1_500;
        process.Handler.Fault = null;
        _cluster.Advance(6);
        Assert.Equal(("1500", 1_500), Start("p"));
    }

    [Fact]
    public void Another_start_of_a_later_process_changes_nothing_and_is_not_logged()
    {
        _cluster.Start("a", Now);
        var before = _cluster.Tables.Versions["p"].Row;
        _cluster.Start("b", options => options with { StartAt = ProjectionStart.After(3) });
        _cluster.Start("c");
        _cluster.Advance(10);
        Assert.Equal(before, _cluster.Tables.Versions["p"].Row with { JournalEnds = before.JournalEnds });
        Assert.Single(_cluster.Log.TextsOf(110));
        Assert.All(_cluster.Processes, process => Assert.False(process.Runner.Completion.IsCompleted));
    }

    [Fact]
    public void A_rebuild_begins_where_the_live_read_model_began()
    {
        _cluster.Start("a", Now);
        _cluster.End = () => 1_500;
        _cluster.Command(CommandVerb.Rebuild, "q");
        Assert.Equal(("1000", 1_000), Start("q"));
        _cluster.Command(CommandVerb.Swap, "q");
        _cluster.Command(CommandVerb.Rebuild, "r");
        Assert.Equal(("1000", 1_000), Start("r"));
    }

    [Fact]
    public void A_reset_to_the_start_empties_the_read_model_and_goes_back_to_its_start()
    {
        var process = _cluster.Start("a", Now);
        process.Worker().Commit(0);
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p").State);
        Assert.EndsWith("'p' is empty and begins after 1000.", Assert.Single(_cluster.Log.TextsOf(120)), StringComparison.Ordinal);
        Assert.Equal(("1000", 1_000), Start("p"));
        Assert.Equal(["prepare p", "prepare p"], process.Handler.Calls);
    }

    [Fact]
    public void A_reset_to_before_the_start_moves_the_start_and_rebuilds_follow()
    {
        var process = _cluster.Start("a", Now);
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p", 800).State);
        Assert.Equal(("800", 800), Start("p"));
        Assert.Single(process.Handler.Calls);
        _cluster.Command(CommandVerb.Reset, "p", 900);
        Assert.Equal(("800", 900), Start("p"));
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p", 0).State);
        Assert.Equal((null, 0), Start("p"));
        _cluster.Command(CommandVerb.Rebuild, "q");
        Assert.Equal((null, 0), Start("q"));
    }

    private static ProjectionOptions Now(ProjectionOptions options) => options with { StartAt = ProjectionStart.Now };

    private VersionRow Row(string version) => _cluster.Tables.Versions[version].Row;

    private (string? Start, long Lowest) Start(string version) => (Row(version).StartOffset, _cluster.Tables.Versions[version].Lowest);
}
