using BankAccounts.Domain;
using Throttled.Faults.Processes;
using Throttled.Faults.Projections.Bank;
using Throttled.Journal;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Faults.Projections;

/// <summary>One event of a hundred is poison: it is parked with what follows it of its account, and retried when the handler was mended.</summary>
public sealed class ParkedEventsTests(BankHost host, ITestOutputHelper output) : IClassFixture<BankHost>
{
    [Theory, OnSqlite, OnPostgreSql]
    [Trait("Category", "Long")]
    public Task Poison_is_parked_and_retried_once_it_is_mended(string database) => RunAsync(database, Writing.Merged, 600, kills: 1, poison: 0.05);

    [Theory, OnSqlite, OnPostgreSql]
    [Trait("Category", "Long")]
    public Task Much_poison_is_parked_and_retried_under_kills(string database) => RunAsync(database, Writing.Merged, LongShare.Of(100_000), kills: 6);

    [Theory, OnSqlite, OnPostgreSql]
    [Trait("Category", "Long")]
    public Task Much_poison_that_has_to_be_searched_for_is_parked_and_retried_under_kills(string database) =>
        RunAsync(database, Writing.Plain, LongShare.Of(40_000), kills: 6);

    private async Task RunAsync(string database, Writing writing, int events, int kills, double poison = 0.01)
    {
        await using var bank = await BankOfTest.OpenAsync(host.NewPlace(database), output);
        await bank.AppendAsync(events, events / 10, poison);
        Task<int> retrying;
        int ids;
        var work = new BankWork { Place = bank.Place, Writing = writing, Parks = true, MendedFile = host.NewFile() };
        var expected = Expected(await bank.JournalAsync());
        await using (var parking = await ParkAsync(bank, work with { HoldAfter = events - expected.Count + Draw(bank, expected.Count, kills) }, kills - 1))
        {
            Assert.Equal(expected, await LettersAsync(bank));
            bank.Tell($"{expected.Count} events parked");
            await File.WriteAllTextAsync(work.MendedFile, "");
            ids = expected.Select(letter => letter.Id).Distinct().Count();
            retrying = bank.Control.RetryAllAsync(BankWork.Projection);
            // Where it was not started anew meanwhile, it is held in the retry.
            if (kills == 1)
                await parking.UntilAsync("held", 1);
        }
        for (var left = kills - 1; left > 0; left--)
            await KillHeldAsync(bank, work with { HoldAfter = Draw(bank, (await LettersAsync(bank)).Count, left) });
        await using var last = bank.Start(work);
        Assert.Equal(ids, await retrying.WithinAsync("the retry of all", TimeSpan.FromMinutes(3)));
        await bank.EndAsync([last]);
        Assert.Empty(await LettersAsync(bank));
    }

    /// <returns>A process that has parked all there is to park.</returns>
    private static async Task<OtherProcess> ParkAsync(BankOfTest bank, BankWork work, int kills)
    {
        for (var left = kills; left > 0; left--)
            await KillHeldAsync(bank, work with { HoldAfter = Draw(bank, (int)(bank.Events - await bank.HandledAsync()) / 2, left) });
        var parking = bank.Start(work);
        await bank.UntilHandledAsync(bank.Events, [parking]);
        return parking;
    }

    private static int Draw(BankOfTest bank, int most, int left) => bank.Random.Next(1, Math.Max(2, most / (left + 1)));

    private static async Task KillHeldAsync(BankOfTest bank, BankWork work)
    {
        await using var process = bank.Start(work);
        await process.UntilAsync("held", 1);
        await process.KillAsync();
        bank.Tell($"killed in a transaction with {await bank.HandledAsync()} handled and {(await LettersAsync(bank)).Count} parked");
    }

    private static Task<List<(string Id, long Number)>> LettersAsync(BankOfTest bank) => bank.ReadAsync(
        "SELECT persistence_id, sequence_number FROM throttled_projection_dead_letter ORDER BY ordering", row => (row.GetString(0), row.GetInt64(1)));

    // The poison, and all that is behind it of the same account.
    private static List<(string Id, long Number)> Expected(List<JournalEvent> journal)
    {
        var parked = new HashSet<string>(StringComparer.Ordinal);
        List<(string, long)> expected = [];
        foreach (var each in journal)
        {
            if (AccountFormat.Decode(each) is AccountCredited { IsPoison: true })
                parked.Add(each.PersistenceId);
            if (parked.Contains(each.PersistenceId))
                expected.Add((each.PersistenceId, each.SequenceNumber));
        }
        return expected;
    }
}
