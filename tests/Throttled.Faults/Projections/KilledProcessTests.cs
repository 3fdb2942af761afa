using Throttled.Faults.Processes;
using Throttled.Faults.Projections.Bank;
using Throttled.Journal.Contract;
using Xunit.Abstractions;

namespace Throttled.Faults.Projections;

/// <summary>A process that runs a projection is killed with SIGKILL, again and again, and started again, with other numbers of lanes.</summary>
public sealed class KilledProcessTests(BankHost host, ITestOutputHelper output) : IClassFixture<BankHost>
{
    private const int Kills = 20;

    [Theory, OnSqlite]
    public Task Balances_are_exact_after_kills_in_a_transaction(string database) => InTransactionsAsync(database, Writing.Merged, 900, 2);

    [Theory, OnSqlite, OnPostgreSql]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_20_kills_in_a_transaction(string database) =>
        InTransactionsAsync(database, Writing.Plain, LongShare.Of(100_000), Kills);

    [Theory, OnSqlite, OnPostgreSql]
    [Trait("Category", "Long")]
    public Task Merged_balances_are_exact_after_20_kills_anywhere(string database) => AnywhereAsync(database, Writing.Merged);

    [Theory, OnSqlite, OnPostgreSql]
    [Trait("Category", "Long")]
    public Task Plain_balances_are_exact_after_20_kills_anywhere(string database) => AnywhereAsync(database, Writing.Plain);

    private async Task InTransactionsAsync(string database, Writing writing, int events, int kills)
    {
        await using var bank = await BankOfTest.OpenAsync(host.NewPlace(database), output);
        await bank.AppendAsync(events, events / 20);
        var work = new BankWork { Place = bank.Place, Writing = writing };
        for (var left = kills; left > 0; left--)
        {
            work = work with { Lanes = Lanes(bank, kills - left), HoldAfter = Draw(bank, await bank.HandledAsync(), left) };
            await KillHeldAsync(bank, work);
        }
        await using var last = bank.Start(work with { HoldAfter = null });
        await bank.EndAsync([last]);
    }

    private static async Task KillHeldAsync(BankOfTest bank, BankWork work)
    {
        await using var process = bank.Start(work);
        await process.UntilAsync("held", 1);
        await process.KillAsync();
        bank.Tell($"{work.Lanes} lanes, killed in a transaction with {await bank.HandledAsync()} handled");
        Assert.True(await bank.HandledAsync() < bank.Events, "There is nothing left to kill it in.");
    }

    private async Task AnywhereAsync(string database, Writing writing)
    {
        await using var bank = await BankOfTest.OpenAsync(host.NewPlace(database), output);
        await bank.AppendAsync(LongShare.Of(200_000), LongShare.Of(10_000));
        var work = new BankWork { Place = bank.Place, Writing = writing };
        var inTheMiddle = 0;
        for (var left = Kills; left > 0; left--)
            inTheMiddle += await KillAnywhereAsync(bank, work with { Lanes = Lanes(bank, Kills - left) }, left) ? 1 : 0;
        bank.Tell($"{inTheMiddle} of {Kills} kills in the middle");
        Assert.True(inTheMiddle >= Kills / 2, "The most kills came too late.");
        await using var last = bank.Start(work);
        await bank.EndAsync([last]);
    }

    private static async Task<bool> KillAnywhereAsync(BankOfTest bank, BankWork work, int left)
    {
        var before = await bank.HandledAsync();
        await using var process = bank.Start(work);
        await bank.UntilHandledAsync(Math.Min(bank.Events, before + Draw(bank, before, left)), [process]);
        await process.KillAsync();
        var handled = await bank.HandledAsync();
        bank.Tell($"{work.Lanes} lanes, killed with {handled} handled");
        return handled < bank.Events;
    }

    // So many that there is something left for each kill.
    private static int Draw(BankOfTest bank, long handled, int left) => bank.Random.Next(1, Math.Max(2, (int)(bank.Events - handled) / (left + 1)));

    private static int Lanes(BankOfTest bank, int kill) => kill switch
    {
        0 or 2 => 8,
        1 => 3,
        _ => bank.Random.Next(1, 17),
    };
}
