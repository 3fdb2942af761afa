extern alias twins;

using twins::DigitalTwins.Devices;
using twins::DigitalTwins.Load;
using twins::DigitalTwins.ReadModel;
using twins::DigitalTwins.Settings;
using twins::DigitalTwins.Show;

namespace Throttled.Tool.Tests.Twins;

public sealed class ReportTests
{
    private static readonly ReadModelResult Right = new(Journal: 1_000, ReadModel: 1_000, Different: 0, Lost: 0, Seconds: 0.1);

    [Fact]
    public void Of_no_requests_every_percentile_is_0() => Assert.Equal(0, new LatencyCounts().Percentile(0.99));

    [Theory]
    [InlineData(0.01, 1)]
    [InlineData(0.5, 50)]
    [InlineData(0.99, 99)]
    [InlineData(1, 100)]
    public void Percentiles_are_exact_to_a_thirty_second(double share, double milliseconds)
    {
        var counts = new LatencyCounts();
        for (var i = 100; i >= 1; i--)
            counts.Add(TimeSpan.FromMilliseconds(i));
        Assert.Equal(100, counts.Count);
        Assert.InRange(counts.Percentile(share), milliseconds, milliseconds * (1 + (1.0 / 32)));
    }

    [Fact]
    public void Latencies_of_any_size_are_counted()
    {
        var counts = new LatencyCounts();
        foreach (var latency in (TimeSpan[])[TimeSpan.FromTicks(-1), TimeSpan.Zero, TimeSpan.FromMicroseconds(63), TimeSpan.FromMicroseconds(64), TimeSpan.MaxValue])
            counts.Add(latency);
        Assert.Equal([0, 0, 0.063], [counts.Percentile(0.2), counts.Percentile(0.4), counts.Percentile(0.6)]);
        Assert.InRange(counts.Percentile(0.8), 0.064, 0.066);
        Assert.InRange(counts.Percentile(1), TimeSpan.MaxValue.TotalMilliseconds, TimeSpan.MaxValue.TotalMilliseconds * 1.04);
    }

    [Fact]
    public void Rates_are_requests_divided_by_the_time()
    {
        var report = Report(reads: 3, writes: 1);
        Assert.Equal((3, 1), (report.Reads.Count, report.Writes.Count));
        Assert.Equal((4 / report.Seconds, 3 / report.Seconds, 1 / report.Seconds), (report.PerSecond, report.Reads.PerSecond, report.Writes.PerSecond));
        Assert.Equal((2 / report.Seconds, 3 / report.Seconds), (report.NodesBusy, report.MachineBusy));
    }

    [Fact]
    public void The_verdict_says_that_all_updates_are_in_the_read_model()
    {
        var report = Report(reads: 3, writes: 1);
        Assert.True(report.IsFlawless);
        Assert.StartsWith("2 nodes over 1 database answered ", report.Verdict, StringComparison.Ordinal);
        Assert.EndsWith("; no request failed, and all 1,000 updates are in the read model.", report.Verdict, StringComparison.Ordinal);
    }

    [Fact]
    public void The_verdict_says_what_is_wrong()
    {
        var report = Report(reads: 3, writes: 1, new(Journal: 1_000, ReadModel: 998, Different: 1, Lost: 7, Seconds: 60), failed: 2);
        Assert.False(report.IsFlawless);
        Assert.EndsWith(
            "requests without an answer: 2; answered updates that are not in the journal: 7; the read model has 998 of 1,000 updates, and 1 device differ.",
            report.Verdict, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_request_the_run_is_no_success() => Assert.False(Report(reads: 0, writes: 0).IsFlawless);

    [Fact]
    public void The_result_is_one_line_of_json() => Assert.DoesNotContain('\n', Report(reads: 1, writes: 1).ToJson());

    [Fact]
    public void The_read_model_is_compared_with_the_journal_device_by_device()
    {
        var result = ReadModelResult.Of(
            journal: [new("a", 2, 7), new("b", 1, 5), new("c", 1, 1)],
            readModel: [new("a", 2, 7), new("b", 1, 4)],
            answered: new Dictionary<string, long> { ["a"] = 2, ["b"] = 3, ["c"] = 0, ["d"] = 1 },
            TimeSpan.FromSeconds(1));
        Assert.Equal(new(Journal: 4, ReadModel: 3, Different: 2, Lost: 3, Seconds: 1), result);
    }

    [Fact]
    public void Busy_time_leaves_out_idle_and_waiting() => Assert.Equal(0.18, ProcessorUse.Busy("cpu  1 2 3 1000 100 4 5 3 50 0"));

    [Theory]
    [InlineData(1_000)]
    [InlineData(10_000)]
    public void Devices_are_spread_evenly_over_databases(int devices)
    {
        var shares = Enumerable.Range(0, devices).Select(DeviceIds.Of).GroupBy(id => JournalSlices.Of(id) / 256).Select(group => group.Count()).ToList();
        Assert.Equal(4, shares.Count);
        Assert.All(shares, share => Assert.InRange(share, devices / 4 * 0.9, devices / 4 * 1.1));
    }

    private static TwinsReport Report(int reads, int writes, ReadModelResult? readModel = null, int failed = 0)
    {
        var load = new LoadWindow();
        for (var i = 0; i < reads; i++)
            load.Reads.Add(TimeSpan.FromMilliseconds(1));
        for (var i = 0; i < writes; i++)
            load.Writes.Add(TimeSpan.FromMilliseconds(5));
        for (var i = 0; i < failed; i++)
            load.Fail();
        return TwinsReport.Of(TwinsCommand.Read("--databases", "1"), load.Close(), new(Generator: 1, Nodes: 2, Machine: 3), readModel ?? Right, []);
    }
}
