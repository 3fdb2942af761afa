using Throttled.Faults.Processes;
using Throttled.Faults.Projections.Bank;

namespace Throttled.Faults.Projections;

/// <summary>A process that runs a projection is killed with SIGKILL and restarted many times, with changing numbers of lanes.</summary>
public sealed class KilledProcessTests(BankHost host, ITestOutputHelper output) : IClassFixture<BankHost>
{
    private const int Kills = 20;

    [Theory, OnSqlite]
    public Task Balances_are_exact_after_a_kill_in_a_transaction(string database) => InTransactionsAsync(database, Writing.Merged, 900, 1);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_20_kills_in_a_transaction(string database) =>
        InTransactionsAsync(database, Writing.Plain, LongShare.Of(100_000), Kills);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Merged_balances_are_exact_after_20_kills_anywhere(string database) => AnywhereAsync(database, Writing.Merged);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Plain_balances_are_exact_after_20_kills_anywhere(string database) => AnywhereAsync(database, Writing.Plain);

    private async Task InTransactionsAsync(string database, Writing writing, int events, int kills)
    {
        await using var bank = await BankOfTest.OpenAsync(await host.NewPlaceAsync(database), output);
        await bank.AppendAsync(events, events / 20);
        var work = new BankWork { Place = bank.Place, Writing = writing };
        for (var left = kills; left > 0; left--)
        {
            await bank.SetLanesAsync(Lanes(bank, kills - left));
            await KillPausedAsync(bank, work with { PauseAfter = Draw(bank, await bank.HandledAsync(), left) });
        }
        await using var last = bank.Start(work);
        await bank.EndAsync([last]);
    }

    private static async Task KillPausedAsync(BankOfTest bank, BankWork work)
    {
        await using var process = bank.Start(work);
        await process.UntilAsync("paused", 1);
        await process.KillAsync();
        bank.Print($"{(await bank.StatusAsync())?.Lanes.Count} lanes, killed in a transaction with {await bank.HandledAsync()} handled");
        Assert.True(await bank.HandledAsync() < bank.Events, "No event is left for the kill.");
    }

    private async Task AnywhereAsync(string database, Writing writing)
    {
        await using var bank = await BankOfTest.OpenAsync(await host.NewPlaceAsync(database), output);
        await bank.AppendAsync(LongShare.Of(200_000), LongShare.Of(10_000));
        var work = new BankWork { Place = bank.Place, Writing = writing };
        for (var left = Kills; left > 0; left--)
        {
            await bank.SetLanesAsync(Lanes(bank, Kills - left));
            await KillAnywhereAsync(bank, work, left);
        }
        await using var last = bank.Start(work);
        await bank.EndAsync([last]);
    }

    // The process pauses before it has handled its share, so even a late kill finds it within its work.
    private static async Task KillAnywhereAsync(BankOfTest bank, BankWork work, int left)
    {
        var before = await bank.HandledAsync();
        var share = (int)(bank.Events - before) / (left + 1);
        var when = before + bank.Random.Next(1, Math.Max(2, share / 2));
        await using var process = bank.Start(work with { PauseAfter = share });
        await Wait.UntilAsync(
            async () => process.Lines.Contains("paused") || await bank.HandledAsync() >= when, () => $"{when} events handled", TimeSpan.FromMinutes(3));
        await process.KillAsync();
        var handled = await bank.HandledAsync();
        bank.Print($"{(await bank.StatusAsync())?.Lanes.Count} lanes, killed with {handled} handled");
        Assert.True(handled < bank.Events, "No event is left for the kill.");
    }

    // Few enough that events are left for each kill.
    private static int Draw(BankOfTest bank, long handled, int left) => bank.Random.Next(1, Math.Max(2, (int)(bank.Events - handled) / (left + 1)));

    private static int Lanes(BankOfTest bank, int kill) => kill switch
    {
        1 => 3,
        2 => 8,
        _ => bank.Random.Next(1, 17),
    };
}
