using BankAccounts.Settings;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Tests.Settings;

public sealed class OptionTests
{
    [Theory]
    [InlineData("10m", 10_000_000L)]
    [InlineData("250k", 250_000L)]
    [InlineData("7", 7L)]
    [InlineData("", null)]
    [InlineData("-1", null)]
    [InlineData("m", null)]
    [InlineData("9000000000000000m", null)]
    public void A_number_may_be_written_with_its_thousands(string text, long? number) => Assert.Equal(number, NumberOption.Read(text));

    [Theory]
    [InlineData("1%", 0.01)]
    [InlineData("0.5%", 0.005)]
    [InlineData("100%", 1.0)]
    [InlineData("101%", null)]
    [InlineData("-1%", null)]
    [InlineData("1", null)]
    public void A_share_is_a_percentage(string text, double? share) => Assert.Equal(share, ShareOption.Read(text));

    [Theory]
    [InlineData("accounts", true)]
    [InlineData("a_2", true)]
    [InlineData("2a", false)]
    [InlineData("Accounts", false)]
    [InlineData("a; DROP TABLE b", false)]
    public void Only_simple_names_are_allowed(string name, bool isOne) => Assert.Equal(isOne, BankOptions.IsName(name));

    [Theory]
    [InlineData("write --events none", "--events is 'none'; it must be a whole number from 1 to 100,000,000. Leave it out for 1,000,000.")]
    [InlineData("write --accounts 0", "--accounts is '0'; it must be a whole number from 1 to 10,000,000. Leave it out for one for every ten events.")]
    [InlineData("write --poison 2", "--poison is '2'; it must be a percentage from 0% to 100%, such as 1%. Leave it out for none.")]
    [InlineData("run --lanes 0", "--lanes is '0'; it must be a whole number from 1 to 1,024. Leave it out for 8.")]
    [InlineData("run --name 1", "--name is '1'; it must begin with a letter, and go on with letters, digits and '_', in lower case, 40 at most.")]
    public void A_bad_value_is_named_with_what_is_allowed(string line, string message) => Assert.Equal(message, Assert.Single(Parse(line).Errors).Message);

    [Fact]
    public void A_database_that_is_not_known_is_refused() => Assert.Equal(
        "--database is 'oracle'; it must be sqlite or postgres. Leave it out for sqlite.",
        Assert.Throws<CommandException>(() => BankOptions.Read(Parse("run --database oracle"))).Message);

    private static System.CommandLine.ParseResult Parse(string line) => BankCommand.Create().Parse(line.Split(' '));
}
