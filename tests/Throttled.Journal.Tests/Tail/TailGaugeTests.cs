using System.Diagnostics.Metrics;

namespace Throttled.Journal.Tests.Tail;

/// <summary>What the gauges of a journal say about the high-water mark, its gaps, the circuit breaker and the permits.</summary>
public sealed class TailGaugeTests
{
    [Fact]
    public void The_high_water_mark_is_reported_while_it_is_known()
    {
        using var world = new World(options => options with { Name = nameof(The_high_water_mark_is_reported_while_it_is_known) });
        using var gauges = new Gauges(world.Options.Name);
        Assert.Null(gauges["throttled.journal.high_water_mark.ordering"]);
        Assert.Equal(1, gauges["throttled.journal.circuit_breaker.state unknown"]);
        world.Journal.Append("p", 1, 3);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(3, gauges["throttled.journal.high_water_mark.ordering"]);
        Assert.Equal((1, 0), (gauges["throttled.journal.circuit_breaker.state closed"], gauges["throttled.journal.circuit_breaker.state unknown"]));
        Assert.Equal(world.Options.MaxConcurrentQueries, gauges["throttled.journal.permit.limit"]);
        Assert.Equal((1, 0), (gauges["throttled.journal.query.count following"], gauges["throttled.journal.query.count lagging"]));
        Assert.Equal(world.Options.MaxBufferedBytes, gauges["throttled.journal.buffer.limit"]);
        reader.Feed.Close();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Null(gauges["throttled.journal.high_water_mark.ordering"]);
        Assert.Null(gauges["throttled.journal.high_water_mark.age"]);
    }

    [Fact]
    public void A_gap_stalls_the_high_water_mark_until_its_transaction_ends()
    {
        using var world = new World(options => options with { Name = nameof(A_gap_stalls_the_high_water_mark_until_its_transaction_ends) });
        using var gauges = new Gauges(world.Options.Name);
        world.Journal.Append("p", 1, 1);
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        var open = world.Journal.Begin();
        open.Add("q", 1, 10);
        world.Journal.Append("p", 2, 2);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal((1, 1), (gauges["throttled.journal.gap.count"], gauges["throttled.journal.high_water_mark.ordering"]));
        Assert.InRange(gauges["throttled.journal.high_water_mark.stall_time"]!.Value, 3, 5);
        Assert.InRange(gauges["throttled.journal.high_water_mark.age"]!.Value, 3, 7);
        open.Commit();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.InRange(gauges["throttled.journal.high_water_mark.age"]!.Value, 0, 1);
        Assert.Equal((0, 3), (gauges["throttled.journal.gap.count"], gauges["throttled.journal.high_water_mark.ordering"]));
        Assert.Equal(0, gauges["throttled.journal.high_water_mark.stall_time"]);
    }

    // Nothing else happens on the loop while the only statement runs.
    [Fact]
    public void A_statement_that_runs_holds_a_permit_and_its_query_waits_no_more()
    {
        using var world = new World(options => options with { Name = nameof(A_statement_that_runs_holds_a_permit_and_its_query_waits_no_more) });
        using var gauges = new Gauges(world.Options.Name);
        world.Journal.Append("p", 1, 1);
        world.IsHeld = call => call.IsPages;
        world.OpenCurrent("p");
        world.Settle();
        Assert.Equal((1, 0), (gauges["throttled.journal.permit.usage"], gauges["throttled.journal.permit.pending_requests"]));
        world.IsHeld = _ => false;
        world.Settle();
        Assert.Equal((0, 0), (gauges["throttled.journal.permit.usage"], gauges["throttled.journal.permit.pending_requests"]));
    }

    /// <summary>The gauges of one journal. A gauge with a state has it in its name.</summary>
    private sealed class Gauges : IDisposable
    {
        private readonly Dictionary<string, double> _values = new(StringComparer.Ordinal);
        private readonly MeterListener _listener = new();

        internal Gauges(string journal)
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.IsObservable && instrument.Meter.Name == "Throttled.Journal")
                    listener.EnableMeasurementEvents(instrument);
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Set(instrument, value, tags, journal));
            _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Set(instrument, value, tags, journal));
            _listener.Start();
        }

        internal double? this[string name]
        {
            get
            {
                _values.Clear();
                _listener.RecordObservableInstruments();
                return _values.TryGetValue(name, out var value) ? value : null;
            }
        }

        public void Dispose() => _listener.Dispose();

        private void Set(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags, string journal)
        {
            if (Equals(tags[0], new KeyValuePair<string, object?>("throttled.journal.name", journal)))
                _values[tags.Length == 1 ? instrument.Name : $"{instrument.Name} {tags[1].Value}"] = value;
        }
    }
}
