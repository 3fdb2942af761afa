using BankAccounts.Operation;
using BankAccounts.Settings;

namespace BankAccounts.Tests.Settings;

public sealed class OptionTests
{
    [Theory]
    [InlineData("10m", 10_000_000)]
    [InlineData("250k", 250_000)]
    [InlineData("7", 7)]
    [InlineData("", null)]
    [InlineData("-1", null)]
    [InlineData("m", null)]
    [InlineData("9000m", null)]
    public void A_number_may_have_separators_of_thousands(string text, int? number) => Assert.Equal(number, NumberOption.Read(text));

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

    [Fact]
    public void A_replay_has_an_account_for_every_ten_events()
    {
        var settings = ReplayVerb.Read(Parse("replay --events 10m --json"));

        Assert.Equal((10_000_000, 1_000_000, true), (settings.Shape.Events, settings.Shape.Accounts, settings.Json));
        Assert.Equal([1, 500, 500, 500, 2_000, 10_000, 50_000], settings.Rows().Select(row => row.Batch));
        Assert.Equal([20_000, 200_000, 200_000, 10_000_000, 10_000_000, 10_000_000, 10_000_000], settings.Rows().Select(row => row.Shape.Events));
    }

    [Theory]
    [InlineData("replay --events none", "--events is 'none'; it must be a whole number from 100 to 100,000,000. Leave it out for 1,000,000.")]
    [InlineData("replay --batches 5,x", "--batches is '5,x'; it must be whole numbers from 1 to 100,000 with commas between them. Leave it out for 2000,10000.")]
    [InlineData("write --poison 2", "--poison is '2'; it must be a percentage from 0% to 100%, such as 1%. Leave it out for none.")]
    [InlineData("run --lanes 0", "--lanes is '0'; it must be a whole number from 1 to 1,024. Leave it out for 8.")]
    [InlineData("swap A", "The target is 'A'; it must begin with a letter, and go on with letters, digits and '_', in lower case, 40 at most.")]
    [InlineData("status --name 1", "--name is '1'; it must begin with a letter, and go on with letters, digits and '_', in lower case, 40 at most.")]
    public void A_bad_value_is_named_with_what_is_allowed(string line, string message) => Assert.Equal(message, Assert.Single(Parse(line).Errors).Message);

    [Theory]
    [InlineData("replay --connection x", "--connection is given, and replay on sqlite uses files of its own in artifacts/bank-accounts. Leave it out.")]
    [InlineData("replay --events 1000 --accounts 2000", "--accounts is 2,000, and --events 1,000; each account has an event at least. Give fewer accounts.")]
    [InlineData("replay --database oracle", "--database is 'oracle'; it must be sqlite or postgres. Leave it out for sqlite.")]
    public void Options_that_do_not_fit_together_are_refused(string line, string message) =>
        Assert.Equal(message, Assert.Throws<BankException>(() => ReplayVerb.Read(Parse(line))).Message);

    private static System.CommandLine.ParseResult Parse(string line) => BankCommand.Create().Parse(line.Split(' '));
}
