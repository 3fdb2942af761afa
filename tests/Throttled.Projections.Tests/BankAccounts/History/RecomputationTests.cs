using BankAccounts.Databases;
using BankAccounts.Domain;
using BankAccounts.Handlers;
using BankAccounts.History;
using BankAccounts.Tests.Support;

namespace BankAccounts.Tests.History;

public sealed class RecomputationTests
{
    [Fact]
    public void Balances_are_what_came_in_less_what_went_out()
    {
        var accounts = Recomputation.Of(
        [
            AccountFormat.Store("a", 1, new AccountOpened("ann")),
            AccountFormat.Store("b", 1, new AccountOpened("bob")),
            AccountFormat.Store("a", 2, new AccountCredited(500)),
            AccountFormat.Store("b", 2, new AccountCredited(70, IsPoison: true)),
            AccountFormat.Store("a", 3, new AccountDebited(120)),
            AccountFormat.Store("b", 3, new AccountClosed()),
        ]);

        Assert.Equal(("ann", 380L, 3, false), Fields(accounts["a"]));
        Assert.Equal(("bob", 70L, 3, true), Fields(accounts["b"]));
    }

    [Fact]
    public async Task Differences_are_counted_and_listed()
    {
        await using var bank = new SmallBank();
        await Scalar.RunAsync(bank.Database.Source, bank.Database.Sql.Prepare("small"), CancellationToken.None);
        await Scalar.RunAsync(
            bank.Database.Source, "INSERT INTO small_account VALUES ('a', 'ann', 380, 3), ('b', 'bob', 70, 3), ('c', 'cyd', 5, 2), ('x', 'xen', 0, 1)", CancellationToken.None);
        var recomputed = Recomputation.Of(
        [
            AccountFormat.Store("a", 1, new AccountOpened("ann")),
            AccountFormat.Store("a", 2, new AccountCredited(500)),
            AccountFormat.Store("a", 3, new AccountDebited(120)),
            AccountFormat.Store("b", 1, new AccountOpened("bob")),
            AccountFormat.Store("b", 2, new AccountClosed()),
            AccountFormat.Store("c", 1, new AccountOpened("cyd")),
            AccountFormat.Store("c", 2, new AccountCredited(6)),
            AccountFormat.Store("d", 1, new AccountOpened("dan")),
        ]);

        var found = await AccountCheck.RunAsync(bank.Database, AccountSql.TableOf("small"), recomputed, CancellationToken.None);

        Assert.Equal((3, 4L), (found.Accounts, found.Count));
        Assert.Equal(["b", "c", "x", "d"], found.First.Select(difference => difference[..1]));
        Assert.Equal("c has a balance of 5 cents by 2 events and the owner 'cyd'; it should have a balance of 6 cents by 2 events and the owner 'cyd'", found.First[1]);
    }

    private static (string?, long, int, bool) Fields(Account account) => (account.Owner, account.Balance, account.Events, account.IsClosed);
}
