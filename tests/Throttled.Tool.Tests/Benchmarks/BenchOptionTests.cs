extern alias crush;

using crush::CrushTest.Settings;
using Throttled.Benchmarks;
using Throttled.Benchmarks.Pictures;

namespace Throttled.Tool.Tests.Benchmarks;

/// <summary>The command line of the benchmarks.</summary>
public sealed class BenchOptionTests
{
    [Theory]
    [InlineData("growth queries 100 --beside Akka.Persistence.Sql --json")]
    [InlineData("--json growth --beside akka.persistence.sql queries 100")]
    public void Options_may_stand_anywhere(string line)
    {
        var options = BenchOptions.Read(line.Split(' '));

        Assert.Equal(["growth", "queries", "100"], options.Words);
        Assert.True(options is { IsJson: true, IsBeside: true });
    }

    [Theory]
    [InlineData("tags --beside Marten", "--beside is 'Marten'; it must be Akka.Persistence.Sql. Leave it out")]
    [InlineData("tags --beside", "--beside is ''; it must be")]
    [InlineData("memory --beside Akka.Persistence.Sql", "'memory' does not measure it. Leave it out, or use one of these: growth queries,")]
    [InlineData("tagsx --beside Akka.Persistence.Sql", "'tagsx' does not measure it.")]
    [InlineData("tags --jsn", "There is no option '--jsn'. Use --json")]
    public void A_wrong_option_is_named_with_its_value_and_the_remedy(string line, string message) =>
        Assert.Contains(message, Assert.Throws<CrushException>(() => BenchOptions.Read(line.Split(' '))).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("", 10, 20)]
    [InlineData("7", 7, 20)]
    [InlineData("7 8", 7, 8)]
    public void Numbers_that_are_left_out_have_their_defaults(string line, int most, int idle) => Assert.Equal([most, idle], Numbers(line));

    [Theory]
    [InlineData("0", "[most] is '0'; it must be a whole number from 1 to 2,147,483,647. Leave it out for 10.")]
    [InlineData("7 1e6", "[idle] is '1e6'; it must be a whole number from 1 to 2,147,483,647. Leave it out for 20.")]
    [InlineData("3000000000", "[most] is '3000000000'; it must be")]
    [InlineData("7 8 9", "There is no argument for '9'; the arguments are [most] [idle]. Leave it out.")]
    public void A_wrong_number_is_named_with_its_value_and_the_remedy(string line, string message) =>
        Assert.StartsWith(message, Assert.Throws<CrushException>(() => Numbers(line)).Message, StringComparison.Ordinal);

    [Fact]
    public void Each_table_of_a_result_becomes_rows_of_numbers_and_texts()
    {
        var tables = ResultTable.AllOf(["| events | time | |", "|---:|---:|---|", "| 1,000 | 2.5 × | |", "| 2,000 | 0.25 | late |", "", "| n |", "|---|", "| 1 |"]).ToList();

        Assert.Equal(2, tables.Count);
        Assert.Equal(
            [new() { ["events"] = 1000.0, ["time"] = "2.5 ×", [""] = null }, new() { ["events"] = 2000.0, ["time"] = 0.25, [""] = "late" }],
            tables[0].Rows().Select(row => new Dictionary<string, object?>(row)));
        Assert.Equal(1.0, Assert.Single(tables[1].Rows())["n"]);
    }

    private static int[] Numbers(string line) => Figures.Arguments(line.Split(' ', StringSplitOptions.RemoveEmptyEntries), ("most", 10), ("idle", 20));
}
