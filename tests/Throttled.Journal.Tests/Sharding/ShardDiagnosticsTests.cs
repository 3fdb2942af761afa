using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Throttled.Journal.Database;

namespace Throttled.Journal.Tests.Sharding;

/// <summary>Metrics, traces, logs and errors of a shard name the shard.</summary>
public sealed class ShardDiagnosticsTests
{
    private const string Prefix = "Shard 1 (slices 512-1023): ";

    [Theory]
    [InlineData(5, 0)]
    [InlineData(6, 1)]
    public void A_position_above_the_end_of_a_shard_is_logged_only_if_the_shard_never_issued_it(long after, int warnings)
    {
        using var world = new World(options => options with { Shard = new(ShardMap.Even(2), 0) });
        world.Journal.Append("p", 1, 3);
        world.Journal.Append("q", 1, 2);
        world.Journal.Remove("q", 2);
        var reader = world.OpenAll(after);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("p", 4, 5);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(warnings, world.Log.CountOf(19));
        Assert.Equal(7, reader.Orderings.Last());
    }

    [Fact]
    public async Task Each_shards_measurements_carry_its_number()
    {
        ConcurrentQueue<(string Instrument, object? Shard)> measured = [];
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (instrument.Meter.Name == "Throttled.Journal" && instrument.IsObservable)
                listener.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, tags, _) =>
        {
            if (Equals(TagOf(tags, "throttled.journal.name"), Name))
                measured.Enqueue((instrument.Name, TagOf(tags, "throttled.journal.shard")));
        });
        listener.Start();
        await using var reader = ShardedJournal.OpenReader(
            [0, 1, 2], (_, options) => new JournalReader(new ScriptedDatabase(new(), TimeProvider.System), options!), new() { Name = Name });
        listener.RecordObservableInstruments();

        var byShard = measured.ToLookup(each => each.Shard, each => each.Instrument);
        Assert.Equal([0, 1, 2], byShard.Select(each => (int)each.Key!).Order());
        Assert.Contains("throttled.journal.permit.usage", byShard[0]);
        Assert.All(byShard, each => Assert.Equal(byShard.First().Order(), each.Order()));
    }

    [Fact]
    public void A_statements_activity_carries_the_number_of_its_shard()
    {
        List<object?> shards = [];
        using var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Throttled.Journal",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (Equals(activity.GetTagItem("throttled.journal.name"), Name))
                    shards.Add(activity.GetTagItem("throttled.journal.shard"));
            },
        };
        ActivitySource.AddActivityListener(listener);
        using var world = Shard(1);
        world.Journal.Append("p", 1, 1);
        world.OpenCurrent("p");
        world.Settle();
        Assert.NotEmpty(shards);
        Assert.All(shards, shard => Assert.Equal(1, shard));
    }

    [Fact]
    public void Its_log_messages_begin_with_the_names_of_journal_and_shard()
    {
        using var world = Shard(1);
        world.Database.Fault = _ => new ScriptedFault(FaultKind.ConnectionLost);
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.StartsWith($"Journal '{Name}': {Prefix}", Assert.Single(world.Log.TextsOf(1)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Fatal", nameof(CallKind.Probe))]
    [InlineData("Unreadable", nameof(CallKind.Pages))]
    [InlineData("Unreadable", nameof(CallKind.Ordered))]
    public void Its_failures_begin_with_the_shard(string kind, string of)
    {
        using var world = Shard(1);
        world.Journal.Append("p", 1, 1);
        world.Database.Fault = call => call.Kind.ToString() == of ? new ScriptedFault(Enum.Parse<FaultKind>(kind)) : null;
        PolledReader[] readers = of == nameof(CallKind.Ordered) ? [world.OpenAll()] : [world.OpenCurrent("p")];
        world.AdvanceUntil(() => readers.All(reader => reader.HasEnded));
        Assert.All(readers, reader => Assert.StartsWith(Prefix, Assert.IsType<JournalException>(reader.Failure).Message, StringComparison.Ordinal));
    }

    [Fact]
    public void A_shard_that_is_unavailable_too_long_is_named_in_the_failure_of_a_current_query()
    {
        using var world = Shard(1, TimeSpan.FromSeconds(30));
        world.Database.Fault = _ => new ScriptedFault(FaultKind.ConnectionLost);
        var reader = world.OpenAll(isLive: false);
        world.AdvanceUntil(() => reader.HasEnded);
        Assert.StartsWith(Prefix, reader.Failure!.Message, StringComparison.Ordinal);
        Assert.Contains("'CurrentQueryTimeout'", reader.Failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_single_shard_is_not_named()
    {
        using var world = new World(options => options with { Shard = new(ShardMap.Even(1), 0) });
        world.Database.Fault = _ => new ScriptedFault(FaultKind.Fatal);
        var reader = world.OpenAll();
        world.AdvanceUntil(() => reader.HasEnded);
        Assert.StartsWith("The journal cannot be read", reader.Failure!.Message, StringComparison.Ordinal);
    }

    private static string Name { get; } = Guid.NewGuid().ToString();

    private static World Shard(int shard, TimeSpan? timeout = null) => new(
        options => options with { Name = Name, Shard = new ShardIdentity(ShardMap.Even(2), shard), CurrentQueryTimeout = timeout });

    private static object? TagOf(ReadOnlySpan<KeyValuePair<string, object?>> tags, string name)
    {
        foreach (var tag in tags)
        {
            if (tag.Key == name)
                return tag.Value;
        }
        return null;
    }
}
