using Throttled.Projections.Diagnostics;
using Throttled.Projections.Offsets;
using Throttled.Projections.Reads;
using Throttled.Projections.Running;
using Throttled.Projections.Tables;
using Throttled.Projections.Tests.Lanes;

namespace Throttled.Projections.Tests.Running;

public sealed class PointSearchTests
{
    private static readonly ShardMap Map = ShardMap.Even(2);

    private int _asked;
    private string? _start;
    private long? _now;
    private bool _isAway;

    [Fact]
    public async Task A_reset_to_the_first_event_reads_no_shard()
    {
        var point = await FindAsync(new() { Ordering = 0 });
        Assert.True(point.IsFirstEvent);
        Assert.Equal(("0-511:0,512-1023:0", 0), (point.ToString(), _asked));
    }

    [Fact]
    public async Task A_reset_to_the_start_uses_the_stored_one_and_reads_no_shard()
    {
        Assert.Equal("0-511:0,512-1023:0", (await FindAsync(new())).ToString());
        _start = "0-511:3,512-1023:4";
        Assert.Equal("0-511:3,512-1023:4", (await FindAsync(new())).ToString());
        _start = "7";
        Assert.Equal("0-511:7,512-1023:7", (await FindAsync(new())).ToString());
        Assert.Equal(0, _asked);
        _start = "0-255:1,256-1023:2";
        Assert.Contains("The start of the read model 'p' (0-255:1,256-1023:2) is not a place in this journal", (await Assert.ThrowsAsync<ProjectionException>(() => FindAsync(new()))).Message);
    }

    [Fact]
    public async Task An_ordering_is_ambiguous_with_several_shards()
    {
        var refused = await Assert.ThrowsAsync<ProjectionException>(() => FindAsync(new() { Ordering = 5 }));
        Assert.Contains("The ordering 5 is ambiguous: the journal has 2 shards", refused.Message);
        Assert.Contains("ShardedPosition.At", refused.Message);
    }

    [Fact]
    public async Task A_position_is_used_unchanged_or_carried_to_parts_of_its_shards()
    {
        Assert.Equal("0-511:9,512-1023:0", (await FindAsync(new() { ShardedOffset = "0-511:9,512-1023:0" })).ToString());
        Assert.Equal("0-511:9,512-1023:9", (await FindAsync(new() { ShardedOffset = "0-1023:9" })).ToString());
    }

    [Theory]
    [InlineData("0-255:1,256-1023:2", "has events of several shards of the position")]
    [InlineData("nowhere", "is no position of a sharded journal")]
    [InlineData("0-511:1,512-1023:21", "Shard 1 (slices 512-1023): The ordering 21 is not in the journal; it must be from 0 to 20.")]
    public async Task A_position_that_is_not_of_the_journal_is_refused(string offset, string reason) =>
        Assert.Contains(reason, (await Assert.ThrowsAsync<ProjectionException>(() => FindAsync(new() { ShardedOffset = offset }))).Message);

    [Fact]
    public async Task A_time_is_searched_in_each_shard()
    {
        // The first shard has an event each tick, the second one each second tick.
        Assert.Equal("0-511:6,512-1023:3", (await FindAsync(new() { Timestamp = 7 })).ToString());
    }

    [Fact]
    public async Task A_time_is_not_searched_above_events_that_may_still_commit()
    {
        _now = 2;
        Assert.Equal("0-511:2,512-1023:2", (await FindAsync(new() { Timestamp = 7 })).ToString());
    }

    [Fact]
    public async Task A_journal_that_was_unavailable_is_available_again_when_a_start_is_found()
    {
        var context = Context();
        var (search, journal) = (new StartSearch(context), context.Availability.Journal[0]);
        _isAway = true;
        await Assert.ThrowsAsync<JournalUnavailableException>(() => search.FindAsync(ProjectionStart.Now, default));
        Assert.NotNull(journal.Unavailable);
        _isAway = false;
        Assert.Equal("0-511:10,512-1023:20", (await search.FindAsync(ProjectionStart.Now, default)).ToString());
        Assert.Null(journal.Unavailable);
    }

    private Task<JournalPoint> FindAsync(Command command) => new PointSearch(Context()).FindAsync(
        new(1, "p", CommandVerb.Reset) { Ordering = command.Ordering, Timestamp = command.Timestamp, ShardedOffset = command.ShardedOffset },
        new VersionRow("p", "p", VersionRole.Live, "all", 2, 1, false, 0) { Map = Map, StartOffset = _start }, default);

    private ProjectionContext Context()
    {
        ProjectionOptions options = new() { Name = "p" };
        return new()
        {
            Store = null!,
            Handler = new HookedHandler(),
            Options = options,
            Availability = ProjectionAvailability.Of(options, "'app'", new Throttled.Testing.Scripted.RecordedLog(), "", ""),
            ProcessName = "a",
            CreateWorker = _ => throw new NotSupportedException(),
            Map = Map,
            Shards = [Shard(0, end: 10, step: 1), Shard(1, end: 20, step: 2)],
        };
    }

    private SourceShard Shard(int number, long end, long step) => Make.Shard(_ => throw new NotSupportedException()) with
    {
        Number = number,
        Slices = Map[number],
        Prefix = $"Shard {number} (slices {Map[number]}): ",
        End = _ =>
        {
            _asked++;
            return Task.FromResult(end);
        },
        Now = _ => _isAway ? Task.FromException<long>(new TimeoutException("unavailable")) : Task.FromResult(_now ?? end),
        FirstAfter = (after, _) => Task.FromResult<JournalEvent?>(
            after < end ? new() { PersistenceId = "p", SequenceNumber = 1, Payload = default, Ordering = after + 1, Timestamp = (after + 1) * step } : null),
    };

    private sealed record Command
    {
        internal long? Ordering { get; init; }

        internal long? Timestamp { get; init; }

        internal string? ShardedOffset { get; init; }
    }
}
