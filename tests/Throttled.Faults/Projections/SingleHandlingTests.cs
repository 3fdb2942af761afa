using Throttled.Faults.Projections.Bank;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Faults.Projections;

/// <summary>A handler that is given one event at a time, outside of the transactions, in a process that is killed.</summary>
public sealed class SingleHandlingTests(BankHost host, ITestOutputHelper output) : IClassFixture<BankHost>
{
    [Theory, OnSqlite, OnPostgreSql]
    [Trait("Category", "Long")]
    public async Task Each_of_many_events_comes_at_least_once_and_again_only_behind_a_kill(string database)
    {
        const int kills = 20;
        var events = LongShare.Of(20_000);
        await using var bank = await BankOfTest.OpenAsync(host.NewPlace(database), output);
        await bank.ExecuteAsync(BankTables.CreateLog(bank.Place.IsSqlite));
        await bank.AppendAsync(events, events / 20);
        var work = new BankWork { Place = bank.Place, Writing = Writing.Single };
        for (var kill = 0; kill < kills; kill++)
        {
            await using var process = bank.Start(work with { HoldAfter = bank.Random.Next(1, events / (kills + 1)) });
            await process.UntilAsync("held", 1);
        }
        await using (var last = bank.Start(work))
            await bank.UntilHandledAsync(bank.Events, [last]);
        await CheckAsync(bank);
    }

    private static async Task CheckAsync(BankOfTest bank)
    {
        var log = await bank.ReadAsync(
            $"SELECT run, account_id, number FROM {BankTables.Log} ORDER BY id", row => (Run: row.GetString(0), Id: row.GetString(1), Number: row.GetInt32(2)));
        var last = new Dictionary<string, (string Run, int Number)>(StringComparer.Ordinal);
        foreach (var (run, id, number) in log)
        {
            var before = last.GetValueOrDefault(id, (Run: run, Number: 0));
            // None is left out; one that was before may come again with another run only.
            Assert.True(
                number == before.Number + 1 || (number <= before.Number && run != before.Run), $"{id}: {number} came behind {before.Number}.");
            last[id] = (run, number);
        }
        var accounts = (await bank.RecomputeAsync()).Values;
        Assert.Equal(accounts.Select(account => (account.Id, account.Events)).Order(), last.Select(each => (each.Key, each.Value.Number)).Order());
        bank.Tell($"{log.Count} events handled of {bank.Events}, {log.Count - bank.Events} of them again.");
    }
}
