using Throttled.Faults.Projections.Bank;

namespace Throttled.Faults.Projections;

/// <summary>A bank with a sharded journal. Its process is killed, and one of its shards is unavailable.</summary>
public sealed class ShardedBankTests(BankHost host, ITestOutputHelper output) : IClassFixture<BankHost>
{
    private const int MostLanes = 16;

    [Theory, OnSqlite]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_kills_in_a_transaction_with_other_numbers_of_lanes(string database) =>
        InTransactionsAsync(database, shards: 4, Writing.Merged, events: 2_000, kills: 2);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_20_kills_in_a_transaction_over_four_shards(string database) =>
        InTransactionsAsync(database, shards: 4, Writing.Plain, LongShare.Of(100_000), kills: 20);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Merged_balances_are_exact_after_20_kills_in_a_transaction_over_three_shards(string database) =>
        InTransactionsAsync(database, shards: 3, Writing.Merged, LongShare.Of(100_000), kills: 20);

    [Theory, OnSqlite]
    [Trait("Category", "Long")]
    public async Task A_missing_file_delays_only_its_own_accounts_over_a_kill(string database)
    {
        var place = await host.NewPlaceAsync(database, shards: 2);
        await using var bank = await BankOfTest.OpenAsync(place, output);
        await AppendAsync(bank, 1_200);
        var others = await EventsOfAsync(bank, shard: 0);
        var file = place.Shards[1]["Data Source=".Length..];
        Microsoft.Data.Sqlite.SqliteConnection.ClearAllPools();
        File.Move(file, $"{file}.removed");
        await using (var paused = bank.Start(new() { Place = place, PauseAfter = others / 2 }))
        {
            await paused.UntilAsync("paused", 1);
            await paused.KillAsync();
        }
        await using var last = bank.Start(new() { Place = place });
        await bank.UntilHandledAsync(others, [last]);
        Assert.Equal(others, await bank.HandledAsync());
        File.Move($"{file}.removed", file);
        await bank.EndAsync([last]);
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_the_server_of_one_shard_was_killed_several_times() => RunWithOutageAsync(LongShare.Of(100_000), LongShare.Of(20));

    private async Task InTransactionsAsync(string database, int shards, Writing writing, int events, int kills)
    {
        await using var bank = await BankOfTest.OpenAsync(await host.NewPlaceAsync(database, shards), output);
        await AppendAsync(bank, events);
        await EventsOfAsync(bank, shard: 0);
        var work = new BankWork { Place = bank.Place, Writing = writing };
        for (var left = kills; left > 0; left--)
        {
            await bank.SetLanesAsync(Lanes(bank, kills - left));
            await using var process = bank.Start(work with { PauseAfter = Draw(bank, await bank.HandledAsync(), left) });
            await process.UntilAsync("paused", 1);
            await process.KillAsync();
            bank.Print($"{(await bank.StatusAsync())?.Lanes.Count} lanes, killed in a transaction with {await bank.HandledAsync()} handled");
            Assert.True(await bank.HandledAsync() < bank.Events, "No event is left for the kill.");
        }
        await using var last = bank.Start(work);
        await bank.EndAsync([last]);
        Assert.InRange((await bank.StatusAsync())!.Lanes.Count, shards, MostLanes);
    }

    // During the outage the other shards are handled to their end, and events are appended to them. The shard gets its events after the outage.
    private async Task RunWithOutageAsync(int events, int kills)
    {
        using var server = PostgreSqlServer.Start();
        var place = await host.NewPlaceAsync(OnPostgreSqlAttribute.Name, shards: 3);
        place = place with { Shards = [place.Shards[0], server.CreateDatabase(), place.Shards[2]] };
        await using var bank = await BankOfTest.OpenAsync(place, output);
        await using var run = BankRun.Start(new() { Place = place }, Strikes.None);
        for (var kill = 0; kill < kills; kill++)
        {
            await AppendAsync(bank, events / kills);
            var own = await EventsOfAsync(bank, shard: 1);
            server.Kill();
            await UntilAsync(bank, run, bank.Events - own);
            bank.Print($"killed; {await bank.HandledAsync()} handled during the outage of {bank.Events}, {own} of which are of this shard");
            server.Start();
            await UntilAsync(bank, run, bank.Events);
        }
        await bank.CheckAsync();
        run.Goes();
    }

    // The ids of fewer accounts are too similar to be in all shards.
    private static Task AppendAsync(BankOfTest bank, int events) => bank.AppendAsync(events, Math.Max(1_000, events / 5));

    private static Task UntilAsync(BankOfTest bank, BankRun run, long events) => Wait.UntilAsync(
        async () =>
        {
            run.Goes();
            return await bank.HandledAsync() >= events;
        },
        () => $"{events} events handled",
        TimeSpan.FromMinutes(3));

    private static async Task<int> EventsOfAsync(BankOfTest bank, int shard)
    {
        var map = ShardMap.Even(bank.Place.Shards.Count);
        var counts = (await bank.JournalAsync()).CountBy(each => map.ShardOf(each.PersistenceId)).ToDictionary();
        Assert.Equal(map.Count, counts.Count);
        return counts[shard];
    }

    // Few enough that events are left for each kill.
    private static int Draw(BankOfTest bank, long handled, int left) => bank.Random.Next(1, Math.Max(2, (int)(bank.Events - handled) / (left + 1)));

    private static int Lanes(BankOfTest bank, int kill) => kill switch
    {
        1 => 3,
        2 => 8,
        _ => bank.Random.Next(1, MostLanes + 1),
    };
}
