using Throttled.Faults.Projections.Bank;

namespace Throttled.Faults.Projections;

/// <summary>A handler that gets one event at a time, outside of the transactions, in a process that is killed.</summary>
public sealed class AtLeastOnceTests(BankHost host, ITestOutputHelper output) : IClassFixture<BankHost>
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public async Task Each_event_is_handled_at_least_once_and_again_only_after_a_kill(string database)
    {
        const int kills = 20;
        var events = LongShare.Of(20_000);
        await using var bank = await BankOfTest.OpenAsync(await host.NewPlaceAsync(database), output);
        await bank.ExecuteAsync(BankTables.CreateLog(bank.Place));
        await bank.AppendAsync(events, events / 20);
        var work = new BankWork { Place = bank.Place, Writing = Writing.Single };
        for (var kill = 0; kill < kills; kill++)
        {
            await using var process = bank.Start(work with { PauseAfter = bank.Random.Next(1, events / (kills + 1)) });
            await process.UntilAsync("paused", 1);
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
            // No event is missing; an earlier event may be handled again only by another run.
            Assert.True(
                number == before.Number + 1 || (number <= before.Number && run != before.Run), $"{id}: {number} came after {before.Number}.");
            last[id] = (run, number);
        }
        var accounts = (await bank.RecomputeAsync()).Values;
        Assert.Equal(accounts.Select(account => (account.Id, account.Events)).Order(), last.Select(each => (each.Key, each.Value.Number)).Order());
        bank.Print($"{log.Count} events handled of {bank.Events}, {log.Count - bank.Events} of them again.");
    }
}
