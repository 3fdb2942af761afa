using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

/// <summary>Projections over a journal of four files, through the public API.</summary>
public sealed class ShardedProjectionTests : IDisposable
{
    private readonly ShardedFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public async Task All_events_of_all_shards_are_handled_once_and_the_status_lists_each_shard()
    {
        await _files.AppendAsync(300);
        await using var run = Start(new() { Name = "p", Lanes = 2 });
        await run.UntilAsync(300);
        await _files.AppendAsync(60);
        await run.UntilAsync(360);
        await CheckAsync();

        var status = await run.CaughtUpAsync();
        Assert.Equal(4, status.Lanes.Count);
        Assert.Equal((ShardedFiles.Map, status.JournalEnds), (status.Offsets!.Map, status.Offsets));
        Assert.Equal(360, status.Offset);

    }

    [Fact]
    public async Task A_reset_goes_to_the_start_or_to_a_position_and_a_bare_ordering_is_refused()
    {
        await _files.AppendAsync(100);
        await using var run = Start(new() { Name = "p" });
        await run.UntilAsync(100);
        Assert.Contains("is ambiguous: the journal has 4 shards", await Refused(() => run.Control.ResetAsync("p", 7)));
        Assert.Contains("Shard 0 (slices 0-255): The ordering 1000 is not in", await Refused(() => run.Control.ResetAsync("p", ShardedPosition.At(ShardedFiles.Map, 1_000))));

        await run.Control.ResetAsync("p");
        await run.UntilAsync(100);
        await CheckAsync();

        var end = (await run.CaughtUpAsync()).Offsets!;
        Assert.Equal($"'p' goes on after {end}.", await run.Control.ResetAsync("p", end));
        await _files.AppendAsync(60);
        await run.UntilAsync(60);
        await CheckAsync();
    }

    [Fact]
    public async Task A_projection_starts_now_in_each_shard_and_a_reset_goes_back_there()
    {
        await _files.AppendAsync(90);
        await using var run = Start(new() { Name = "p", StartAt = ProjectionStart.Now });
        await Wait.UntilAsync(async () => (await run.Control.StatusAsync("p")).Count > 0, () => "the read model");
        var start = ShardedPosition.Parse((await run.StatusAsync()).StartOffset);
        Assert.Equal(90, Enumerable.Range(0, ShardedFiles.Map.Count).Sum(shard => start[shard]));
        await _files.AppendAsync(30);
        await run.UntilAsync(30);
        Assert.Equal($"'p' is empty and begins after {start}.", await run.Control.ResetAsync("p"));
        await run.UntilAsync(30);
        await run.Control.ResetAsync("p", ShardedPosition.At(ShardedFiles.Map, 0));
        await run.UntilAsync(120);
        await CheckAsync();
    }

    [Theory]
    [InlineData("tag")]
    [InlineData("slices")]
    public async Task Sources_of_a_tag_and_of_slices_work_over_shards(string kind)
    {
        await _files.AppendAsync(240);
        var source = kind == "tag" ? ProjectionSource.ByTag("odd") : ProjectionSource.BySlices(200, 600);
        var expected = Enumerable.Range(0, 240).Select(index => (Id: ShardedFiles.IdOf(index), Number: (long)(index / 60) + 1))
            .Where(each => kind == "tag" ? each.Number % 2 == 1 : JournalSlices.Of(each.Id) is >= 200 and <= 600).ToList();
        await using var run = Start(new() { Name = "p", Source = source, Lanes = 6 });
        await run.UntilAsync(expected.Count);
        Assert.Equal(expected.Order(), (await _files.HandledAsync()).Order());
        // The last events of the journal are not of the source. One of the four shards has no slice of it.
        var status = await run.CaughtUpAsync();
        Assert.Equal((6, kind == "tag" ? 240 : 180, TimeSpan.Zero, TimeSpan.Zero), (status.Lanes.Count, status.Offset, status.Lag, status.TimeLeft));
    }

    [Fact]
    public async Task A_journal_that_was_divided_with_its_orderings_is_continued_from_the_stored_offsets()
    {
        await _files.AppendAsync(300, isWhole: true);
        await using (var before = new Run(_files, _files.OpenWhole(), new() { Name = "p", Lanes = 3, BatchSize = 20 }))
        {
            await before.UntilAsync(100);
        }
        var handled = await _files.HandledAsync();
        await _files.AppendAsync(120, isWhole: true);
        await _files.DivideAsync();
        await _files.AppendAsync(180);
        await using var after = Start(new() { Name = "p", Lanes = 8 });
        await after.UntilAsync(600);
        await CheckAsync();
        Assert.Equal(handled, (await _files.HandledAsync()).Take(handled.Count));
    }

    [Fact]
    public async Task A_rebuild_is_swapped_in_when_it_has_caught_up_in_each_shard()
    {
        await _files.AppendAsync(200);
        await using var run = Start(new() { Name = "p", BatchSize = 5 });
        await run.UntilAsync(200);
        await run.Control.RebuildAsync("p", "q");
        await Wait.UntilAsync(async () => (await _files.HandledAsync("q")).Count == 200, () => "the rebuild to catch up");
        await Wait.UntilAsync(() => IsDoneAsync(run.Control.SwapAsync("p", "q")), () => "the swap");
        await _files.AppendAsync(60);
        await Wait.UntilAsync(async () => (await _files.HandledAsync("q")).Count == 260, () => "the new read model to go on");
        Assert.Equal(VersionRole.Live, (await run.Control.StatusAsync("p")).Single(each => each.Version == "q").Role);
    }

    [Fact]
    public async Task The_lag_is_known_if_a_shard_has_no_events()
    {
        await _files.AppendAsync(1);
        await using var run = Start(new() { Name = "p" });
        await run.UntilAsync(1);
        Assert.Equal(1, (await run.CaughtUpAsync()).JournalEnd);
    }

    [Fact]
    public async Task Shards_that_were_merged_end_the_projection_with_the_remedy()
    {
        await _files.AppendAsync(100);
        await using (var before = Start(new() { Name = "p" }))
        {
            await before.UntilAsync(100);
        }
        await _files.AppendAsync(10, isWhole: true);
        await using var run = new Run(_files, _files.OpenWhole(), new() { Name = "p" });
        var ended = await Assert.ThrowsAsync<ProjectionException>(() => run.Projection.Completion).WithinAsync("the end");
        Assert.Contains("are of the shards \"0-255,256-511,512-767,768-1023\", but the journal has none", ended.Message);
        Assert.Contains("give the projection another 'Name'", ended.Message);
    }

    [Fact]
    public async Task An_unavailable_shard_is_named_by_the_health_and_delays_only_its_own_events()
    {
        await _files.AppendAsync(240);
        File.Move(_files.PathOf(2), _files.PathOf(9));
        await using var run = Start(new() { Name = "p" });
        await run.UntilAsync(Enumerable.Range(0, 240).Count(index => ShardedFiles.Map.ShardOf(ShardedFiles.IdOf(index)) != 2));
        await Wait.UntilAsync(() => run.Projection.Health.Unavailable is not null, "the health to report it");
        Assert.StartsWith("the journal: Shard 2 (slices 512-767): ", run.Projection.Health.Unavailable);
        Assert.Null((await run.StatusAsync()).LagEvents);
        File.Move(_files.PathOf(9), _files.PathOf(2));
        await run.UntilAsync(240);
        await CheckAsync();
        await Wait.UntilAsync(() => run.Projection.Health.Unavailable is null, "the health to report it no more");
    }

    private Run Start(ProjectionOptions options) => new(_files, _files.OpenJournal(), options);

    // Each event is handled once, and those of an id in order.
    private async Task CheckAsync()
    {
        var handled = await _files.HandledAsync();
        Assert.Equal(_files.Events, handled.Count);
        foreach (var ofId in handled.GroupBy(each => each.Id))
            Assert.Equal(Enumerable.Range(1, ofId.Count()).Select(number => (long)number), ofId.Select(each => each.Number));
    }

    // A swap is refused while the live read model is a batch ahead.
    private static async Task<bool> IsDoneAsync(Task command)
    {
        try
        {
            await command;
            return true;
        }
        catch (ProjectionException)
        {
            return false;
        }
    }

    private static async Task<string> Refused(Func<Task> command) => (await Assert.ThrowsAsync<ProjectionException>(command)).Message;

    private sealed class Run : IAsyncDisposable
    {
        private readonly ShardedFiles _files;
        private readonly JournalReader _journal;

        internal Run(ShardedFiles files, JournalReader journal, ProjectionOptions options)
        {
            (_files, _journal) = (files, journal);
            Control = new(files.OpenReadModel(), HurriedClock.Instance);
            Projection = new(journal, files.OpenReadModel(), new ShardedFiles.Handler(), options with { BatchAge = TimeSpan.FromMilliseconds(5), TimeProvider = HurriedClock.Instance });
            Projection.Start();
        }

        internal Projection Projection { get; }

        internal ProjectionControl Control { get; }

        internal async Task<ProjectionStatus> StatusAsync() => Assert.Single(await Control.StatusAsync("p"));

        internal async Task UntilAsync(int events)
        {
            var handled = 0L;
            await Wait.UntilAsync(
                async () => (handled = await Control.StatusAsync("p") is [var status] ? status.Events : 0) >= events || Projection.Completion.IsCompleted,
                () => $"{events} events to be handled; there are {handled}");
            Assert.False(Projection.Completion.IsFaulted, Projection.Completion.Exception?.Message);
        }

        internal async Task<ProjectionStatus> CaughtUpAsync()
        {
            await Wait.UntilAsync(async () => (await StatusAsync()).LagEvents == 0, () => "the projection to catch up");
            return await StatusAsync();
        }

        public async ValueTask DisposeAsync()
        {
            await Projection.DisposeAsync();
            await _journal.DisposeAsync();
        }
    }
}
