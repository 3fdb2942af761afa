using Microsoft.Extensions.Logging;

namespace Throttled.Journal.Tests.Queries;

/// <summary>Events whose payload is above the limit.</summary>
public sealed class LargePayloadTests
{
    private const int Most = 20;

    public static TheoryData<bool> BothOrders => [true, false];

    [Theory]
    [MemberData(nameof(BothOrders))]
    public void A_query_delivers_all_events_before_a_large_payload_and_then_fails(bool isById)
    {
        using var world = NewWorld(LargePayloadAction.Fail);
        Append(world, "p", 5, 4);
        var reader = isById ? world.Open("p") : world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3], reader.SequenceNumbers);
        Assert.Equal(
            "The payload of event 4 of 'p' (ordering 4) has 2000000000 bytes; 'MaxPayloadBytes' is 20. "
            + "Raise 'MaxPayloadBytes', or set 'OnLargePayload' to Skip or OmitPayload.",
            Assert.IsType<JournalException>(reader.Failure).Message);
        Assert.Equal(0, world.Engine.Budget().Used);
        Assert.False(world.Engine.HasFollowers());
    }

    [Fact]
    public void A_hundred_queries_that_share_its_statement_are_read_by_that_statement()
    {
        using var world = NewWorld(LargePayloadAction.Fail, options => options with { MaxConcurrentQueries = 1 });
        Append(world, "culprit", 3, 1);
        var others = Enumerable.Range(0, 99).Select(i => $"p{i}").ToList();
        others.ForEach(id => world.Journal.Append(id, 1, 3));
        var readers = others.ConvertAll(id => world.OpenCurrent(id));
        var culprit = world.OpenCurrent("culprit");
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(readers, reader => Assert.Equal((3, true), (reader.Events.Count, reader.IsCompleted)));
        Assert.IsType<JournalException>(culprit.Failure);
        Assert.Single(world.Database.Of(CallKind.Pages));
        Assert.Equal(0, world.Log.CountOf(9));
    }

    [Theory]
    [MemberData(nameof(BothOrders))]
    public void A_reader_that_loses_its_page_before_a_large_payload_gets_it_again(bool isById)
    {
        using var world = NewWorld(LargePayloadAction.Fail, options => options with { MaxBufferedBytes = 1000, MaxBufferSize = 5 });
        Append(world, "p", 5, 5);
        var pausedReader = isById ? world.Open("p") : world.OpenAll();
        pausedReader.IsEager = false;
        pausedReader.Step();
        world.Advance(TimeSpan.FromSeconds(1));
        pausedReader.Step();
        Assert.Equal([1], pausedReader.SequenceNumbers);
        // Other queries need the bytes.
        world.Journal.Append("q", 1, 100);
        var other = world.OpenCurrent("q");
        world.AdvanceUntil(() => other.IsCompleted);
        pausedReader.IsEager = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4], pausedReader.SequenceNumbers);
        Assert.IsType<JournalException>(pausedReader.Failure);
        Assert.Equal(0, world.Engine.Budget().Used);
    }

    [Theory]
    [MemberData(nameof(BothOrders))]
    public void A_query_of_large_payloads_alone_completes_if_they_are_skipped(bool isById)
    {
        using var world = NewWorld(LargePayloadAction.Skip, options => options with { MaxBufferSize = 2 });
        Append(world, "p", 5, 1, 2, 3, 4, 5);
        var reader = isById ? world.OpenCurrent("p") : world.OpenAll(isLive: false);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.True(reader.IsCompleted);
        Assert.Empty(reader.Events);
        Assert.Equal(0, world.Engine.Budget().Used);
    }

    [Theory]
    [MemberData(nameof(BothOrders))]
    public void A_query_that_follows_passes_skipped_payloads_and_keeps_none_of_their_bytes(bool isById)
    {
        using var world = NewWorld(LargePayloadAction.Skip);
        var reader = isById ? world.Open("p") : world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        Append(world, "p", 3, 1, 2, 3);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(0, world.Engine.Budget().Used);
        world.Journal.Append("p", 4, 5);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([4, 5], reader.SequenceNumbers);
        Assert.Equal(1, world.Engine.Parts().Gauges.Following);
    }

    [Fact]
    public void The_first_skipped_payload_is_logged_as_a_warning_and_others_at_debug_level()
    {
        using var world = NewWorld(LargePayloadAction.Skip);
        Append(world, "p", 3, 1, 3);
        world.OpenCurrent("p");
        world.OpenCurrent("p");
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([LogLevel.Warning, LogLevel.Debug, LogLevel.Debug, LogLevel.Debug], world.Log.LevelsOf(24));
        Assert.Equal(
            "The payload of event 1 of 'p' (ordering 1) has 2000000000 bytes and 'MaxPayloadBytes' is 20, so the event was skipped. "
            + "Later ones are logged at Debug.", world.Log.TextsOf(24)[0]);
    }

    [Fact]
    public void A_large_payload_counts_as_a_row_without_one()
    {
        using var world = NewWorld(LargePayloadAction.OmitPayload);
        Append(world, "p", 2, 1);
        var reader = world.OpenCurrent("p");
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([2_000_000_000, 0], reader.Events.Select(each => each.OmittedPayloadBytes));
        Assert.Equal([128, 138], reader.Events.Select(each => each.Bytes));
    }

    private static World NewWorld(LargePayloadAction policy, Func<JournalOptions, JournalOptions>? change = null) => new(options =>
        (change?.Invoke(options) ?? options) with { MaxPayloadBytes = Most, OnLargePayload = policy });

    private static void Append(World world, string id, long count, params long[] large)
    {
        world.Journal.Append(id, 1, count);
        foreach (var row in world.Journal.RowsOf(id).Where(row => large.Contains(row.SequenceNumber)))
            row.LeftOut = 2_000_000_000;
    }
}
