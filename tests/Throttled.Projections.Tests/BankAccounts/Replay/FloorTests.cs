using BankAccounts.Databases;
using BankAccounts.Handlers;
using BankAccounts.History;
using BankAccounts.Tests.Support;
using Throttled.Journal;

namespace BankAccounts.Tests.Replay;

public sealed class FloorTests
{
    private static readonly HistoryShape Shape = new() { Events = 5_000, Accounts = 500, Closed = 0.2 };

    [Theory]
    [InlineData(500)]
    [InlineData(499)]
    [InlineData(10_000)]
    public async Task The_floor_writes_the_same_balances_as_a_recomputation(int batch)
    {
        await using var bank = new SmallBank();
        await bank.Database.CreateAsync(CancellationToken.None);
        await new Seeding(Shape, bank.Database).RunAsync(CancellationToken.None);

        var events = await bank.Database.OpenFloor(new(BankTables.Of(Shape), "floor", batch)).RunAsync(CancellationToken.None);

        await using var journal = bank.Database.OpenReader(new JournalOptions { Tables = BankTables.Of(Shape) });
        var recomputed = await Recomputation.OfAsync(journal, CancellationToken.None);
        var found = await AccountCheck.RunAsync(bank.Database, AccountSql.TableOf("floor"), recomputed, CancellationToken.None);
        Assert.Equal(Shape.Events, events);
        Assert.Empty(found.First);
        Assert.Equal(new AccountHistory(Shape).All().Select(each => each.PersistenceId).Distinct().Order(), recomputed.Keys.Order());
    }

    [Fact]
    public async Task An_existing_journal_is_not_written_again()
    {
        await using var bank = new SmallBank();
        await new Seeding(Shape, bank.Database).RunAsync(CancellationToken.None);
        await using var journal = bank.Database.OpenReader(new JournalOptions { Tables = BankTables.Of(Shape) });
        var first = await journal.CurrentAllEvents().LastAsync();

        await new Seeding(Shape, bank.Database).RunAsync(CancellationToken.None);

        Assert.Equal(Shape.Events, await bank.Database.CountAsync(BankTables.Of(Shape), CancellationToken.None));
        Assert.Equal(first.Timestamp, (await journal.CurrentAllEvents().LastAsync()).Timestamp);
    }
}
