using Throttled.Testing.Scripted;
using Throttled.Tool.Reshard;

namespace Throttled.Tool.Tests.Reshard;

public sealed class MoveProgressTests
{
    private readonly FakeClock _clock = new();
    private readonly List<string> _lines = [];
    private readonly List<double> _bar = [];

    [Fact]
    public void A_line_comes_every_five_seconds_with_the_time_left_of_the_whole_run()
    {
        var progress = new MoveProgress(_lines.Add, bar: null, _clock);
        progress.Expect(500_000);
        var table = progress.Of("the journal: journal", 100_000);

        Read(table, 20_000, seconds: 4);
        Assert.Empty(_lines);
        Read(table, 20_000, seconds: 4);
        Read(table, 20_000, seconds: 4);
        Read(table, 20_000, seconds: 4);

        Assert.Equal(
            [
                "the journal: journal: 30,000 of 100,000 rows; 6 % of all, 3,750 rows a second, 2 min left",
                "the journal: journal: 70,000 of 100,000 rows; 14 % of all, 4,375 rows a second, 98 s left",
            ],
            _lines);
    }

    [Fact]
    public void A_bar_gets_the_share_of_all_tables_and_no_lines_are_printed()
    {
        var progress = new MoveProgress(_lines.Add, _bar.Add, _clock);
        progress.Expect(40_000);
        progress.Expect(10_000);
        var (one, other) = (progress.Of("one", 40_000), progress.Of("other", 10_000));

        Read(one, 20_000, seconds: 60);
        Read(other, 5_000, seconds: 60);
        other.Complete();
        Read(one, 40_000, seconds: 60);

        Assert.Equal([0.2, 0.4, 0.5, 0.7, 0.9, 1, 1], _bar);
        Assert.Empty(_lines);
    }

    [Fact]
    public void An_empty_run_is_done_at_once()
    {
        var progress = new MoveProgress(_lines.Add, _bar.Add, _clock);
        progress.Of("one", 0).Complete();
        Assert.Equal([1.0], _bar);
    }

    private void Read(RowProgress table, int rows, int seconds)
    {
        _clock.Advance(TimeSpan.FromSeconds(seconds));
        for (var i = 0; i < rows; i++)
            table.Count();
    }
}
