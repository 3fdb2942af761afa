using BankAccounts.Domain;
using Throttled.Faults.Processes;
using Throttled.Faults.Projections.Bank;

namespace Throttled.Faults.Projections;

/// <summary>One event of a hundred is poison. It and later events of its account become dead letters; a repaired handler retries them.</summary>
public sealed class DeadLetteredEventsTests(BankHost host, ITestOutputHelper output) : IClassFixture<BankHost>
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Poison_becomes_dead_letters_and_is_retried_after_the_handler_is_repaired(string database) => RunAsync(database, Writing.Merged, 600, kills: 1, poison: 0.05);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Much_poison_becomes_dead_letters_and_is_retried_under_kills(string database) => RunAsync(database, Writing.Merged, LongShare.Of(100_000), kills: 6);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Much_poison_that_must_be_searched_for_becomes_dead_letters_and_is_retried_under_kills(string database) =>
        RunAsync(database, Writing.Plain, LongShare.Of(40_000), kills: 6);

    private async Task RunAsync(string database, Writing writing, int events, int kills, double poison = 0.01)
    {
        await using var bank = await BankOfTest.OpenAsync(await host.NewPlaceAsync(database), output);
        await bank.AppendAsync(events, events / 10, poison);
        Task<int> retrying;
        int ids;
        var work = new BankWork { Place = bank.Place, Writing = writing, StoresDeadLetters = true, RepairedFile = host.NewFile() };
        var expected = Expected(await bank.JournalAsync());
        await using (var process = await StoreDeadLettersAsync(bank, work with { PauseAfter = events - expected.Count + Draw(bank, expected.Count, kills) }, kills - 1))
        {
            Assert.Equal(expected, await DeadLettersAsync(bank));
            bank.Print($"{expected.Count} dead letters");
            await File.WriteAllTextAsync(work.RepairedFile, "");
            ids = expected.Select(deadLetter => deadLetter.Id).Distinct().Count();
            retrying = bank.Control.RetryAllAsync(BankWork.Projection);
            // If the process was not restarted meanwhile, it pauses in the retry.
            if (kills == 1)
                await process.UntilAsync("paused", 1);
        }
        for (var left = kills - 1; left > 0; left--)
            await KillPausedAsync(bank, work with { PauseAfter = Draw(bank, (await DeadLettersAsync(bank)).Count, left) });
        await using var last = bank.Start(work);
        Assert.Equal(ids, await retrying.WithinAsync("the retry of all", TimeSpan.FromMinutes(3)));
        await bank.EndAsync([last]);
        Assert.Empty(await DeadLettersAsync(bank));
    }

    /// <returns>A process that has stored all expected dead letters.</returns>
    private static async Task<OtherProcess> StoreDeadLettersAsync(BankOfTest bank, BankWork work, int kills)
    {
        for (var left = kills; left > 0; left--)
            await KillPausedAsync(bank, work with { PauseAfter = Draw(bank, (int)(bank.Events - await bank.HandledAsync()) / 2, left) });
        var process = bank.Start(work);
        await bank.UntilHandledAsync(bank.Events, [process]);
        return process;
    }

    private static int Draw(BankOfTest bank, int most, int left) => bank.Random.Next(1, Math.Max(2, most / (left + 1)));

    private static async Task KillPausedAsync(BankOfTest bank, BankWork work)
    {
        await using var process = bank.Start(work);
        await process.UntilAsync("paused", 1);
        await process.KillAsync();
        bank.Print($"killed in a transaction with {await bank.HandledAsync()} handled and {(await DeadLettersAsync(bank)).Count} dead letters");
    }

    private static Task<List<(string Id, long Number)>> DeadLettersAsync(BankOfTest bank) => bank.ReadAsync(
        "SELECT persistence_id, sequence_number FROM throttled_projection_dead_letter ORDER BY ordering", row => (row.GetString(0), row.GetInt64(1)));

    // The poison, and all later events of the same account.
    private static List<(string Id, long Number)> Expected(List<JournalEvent> journal)
    {
        var ids = new HashSet<string>(StringComparer.Ordinal);
        List<(string, long)> expected = [];
        foreach (var each in journal)
        {
            if (AccountFormat.Decode(each) is AccountCredited { IsPoison: true })
                ids.Add(each.PersistenceId);
            if (ids.Contains(each.PersistenceId))
                expected.Add((each.PersistenceId, each.SequenceNumber));
        }
        return expected;
    }
}
