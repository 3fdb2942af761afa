using System.Text;
using BankAccounts.Domain;
using BankAccounts.History;

namespace BankAccounts.Tests.History;

public sealed class AccountHistoryTests
{
    private static readonly HistoryShape Shape = new() { Events = 20_000, Accounts = 1_000 };

    [Fact]
    public void The_same_shape_makes_the_same_events() => Assert.Equal(Texts(Shape), Texts(Shape));

    [Fact]
    public void Another_seed_makes_other_events() => Assert.NotEqual(Texts(Shape), Texts(Shape with { Seed = 2 }));

    [Fact]
    public void The_shape_sets_the_number_of_events_and_accounts()
    {
        var events = new AccountHistory(Shape).All().ToList();

        Assert.Equal(Shape.Events, events.Count);
        Assert.Equal(Shape.Accounts, events.Select(each => each.PersistenceId).Distinct().Count());
    }

    [Fact]
    public void All_accounts_are_opened_before_anything_else_happens()
    {
        var changes = new AccountHistory(Shape).All().Select(AccountFormat.Decode).ToList();

        Assert.All(changes[..Shape.Accounts], change => Assert.IsType<AccountOpened>(change));
        Assert.All(changes[Shape.Accounts..], change => Assert.IsNotType<AccountOpened>(change));
    }

    [Fact]
    public void The_events_of_an_account_are_numbered_from_1_without_a_gap()
    {
        foreach (var account in new AccountHistory(Shape).All().GroupBy(each => each.PersistenceId))
            Assert.Equal(Enumerable.Range(1, account.Count()).Select(number => (long)number), account.Select(each => each.SequenceNumber));
    }

    [Fact]
    public void A_closed_account_has_no_further_events()
    {
        var closed = new HashSet<string>();
        foreach (var each in new AccountHistory(Shape with { Closed = 0.5 }).All())
        {
            Assert.DoesNotContain(each.PersistenceId, closed);
            if (AccountFormat.Decode(each) is AccountClosed)
                closed.Add(each.PersistenceId);
        }
        Assert.InRange(closed.Count, Shape.Accounts / 4, Shape.Accounts * 3 / 4);
    }

    // 500 picks out of 1,000 meet 1,000 × (1 - 0.999^500) = 394 different ones. Locality would make them fewer, a round of all more.
    [Fact]
    public void Accounts_take_turns_at_random()
    {
        var moves = new AccountHistory(Shape with { Closed = 0 }).All().Skip(Shape.Accounts).Select(each => each.PersistenceId);

        Assert.All(moves.Chunk(500), batch => Assert.InRange(batch.Distinct().Count(), 350, 435));
    }

    [Fact]
    public void The_shape_sets_the_share_of_poison_moves()
    {
        var poison = new AccountHistory(Shape with { Poison = 0.1 }).All().Count(each => AccountFormat.Decode(each) is AccountCredited { IsPoison: true });

        Assert.InRange(poison, Shape.Events / 20, Shape.Events / 9);
        Assert.DoesNotContain(new AccountHistory(Shape).All(), each => AccountFormat.Decode(each) is AccountCredited { IsPoison: true });
    }

    [Fact]
    public void A_history_goes_on_where_another_ended()
    {
        var before = new AccountHistory(Shape).All().ToList();
        var more = new AccountHistory(Shape with { Events = 3_000, Accounts = 1_100, Seed = 2 }, Recomputation.Of(before).Values).All().ToList();

        var all = Recomputation.Of(before.Concat(more));

        Assert.Equal(1_100, all.Count);
        foreach (var account in before.Concat(more).GroupBy(each => each.PersistenceId))
            Assert.Equal(Enumerable.Range(1, account.Count()).Select(number => (long)number), account.Select(each => each.SequenceNumber));
    }

    [Fact]
    public void A_part_keeps_the_number_of_events_per_account()
    {
        Assert.Equal((2_000, 100), (Shape.Part(2_000).Events, Shape.Part(2_000).Accounts));
        Assert.Same(Shape, Shape.Part(20_000));
    }

    private static List<string> Texts(HistoryShape shape) => [.. new AccountHistory(shape).All().Select(Text)];

    private static string Text(JournalEvent each) => $"{each} {each.Manifest} {Encoding.UTF8.GetString(each.Payload.Span)}";
}
