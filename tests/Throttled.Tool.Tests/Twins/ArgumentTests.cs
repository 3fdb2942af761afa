extern alias twins;

using twins::DigitalTwins.Settings;
using twins::Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tests.Twins;

public sealed class ArgumentTests
{
    [Fact]
    public void Without_arguments_two_nodes_write_to_two_databases_with_commits_of_5_ms()
    {
        var settings = TwinsCommand.Read();
        Assert.Equal((2, 2, 10_000), (settings.Nodes, settings.Databases, settings.Devices));
        Assert.Equal((TimeSpan.FromSeconds(30), TimeSpan.FromMilliseconds(5)), (settings.Time, settings.CommitDelay));
        Assert.False(settings.Json);
    }

    [Theory]
    [InlineData("0", 0)]
    [InlineData("0ms", 0)]
    [InlineData("20ms", 20)]
    [InlineData("1000ms", 1_000)]
    public void The_commit_delay_is_in_milliseconds(string text, int milliseconds) =>
        Assert.Equal(milliseconds, TwinsCommand.Read("--commit-delay", text).CommitDelay.TotalMilliseconds);

    [Theory]
    [InlineData("--commit-delay 5s", "--commit-delay is '5s'; it must be a whole number of milliseconds from 0ms to 1,000ms. Leave it out for 5ms. See --help.")]
    [InlineData("--commit-delay 1001ms", "--commit-delay is '1001ms'; it must be a whole number of milliseconds from 0ms to 1,000ms. Leave it out for 5ms. See --help.")]
    [InlineData("--nodes 0", "--nodes is '0'; it must be a whole number from 1 to 16. Leave it out for 2. See --help.")]
    [InlineData("--databases 17", "--databases is '17'; it must be a whole number from 1 to 16. Leave it out for 2. See --help.")]
    [InlineData("--seconds -1", "--seconds is '-1'; it must be a whole number from 1 to 86,400. Leave it out for 30. See --help.")]
    [InlineData("--nodes 3 --writers 2", "--writers is 2, but --nodes is 3; each node needs one. Give --writers 3 or more.")]
    public void A_wrong_option_is_named_with_its_value_and_a_remedy(string arguments, string message) =>
        Assert.Equal(message, Assert.Throws<CommandException>(() => TwinsCommand.Read(arguments.Split(' '))).Message);

    [Fact]
    public void Each_node_has_a_writer_where_no_number_is_given() => Assert.Equal(16, TwinsCommand.Read("--nodes", "16").Writers);

    [Theory]
    [InlineData(1, 6)]
    [InlineData(3, 6)]
    [InlineData(3, 7)]
    [InlineData(16, 100)]
    public void The_nodes_together_have_all_writers(int nodes, int writers)
    {
        var settings = TwinsCommand.Read("--nodes", $"{nodes}", "--writers", $"{writers}");
        var shares = Enumerable.Range(0, nodes).Select(settings.WritersOf).ToList();
        Assert.Equal(writers, shares.Sum());
        Assert.InRange(shares.Max() - shares.Min(), 0, 1);
    }

    [Fact]
    public void Slowed_commits_limit_the_writes()
    {
        Assert.Equal(4 * 3 / 0.005, TwinsCommand.Read("--databases", "4", "--writers", "3", "--batch", "1").CommitLimit);
        Assert.Null(TwinsCommand.Read("--commit-delay", "0").CommitLimit);
    }
}
