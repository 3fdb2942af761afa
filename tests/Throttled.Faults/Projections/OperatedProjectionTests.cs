using Throttled.Faults.Processes;
using Throttled.Faults.Projections.Bank;
using Throttled.Projections;

namespace Throttled.Faults.Projections;

/// <summary>Commands to a projection whose process is killed meanwhile.</summary>
public sealed class OperatedProjectionTests(BankHost host, ITestOutputHelper output) : IClassFixture<BankHost>
{
    private const string Other = "bank_2";

    [Theory, OnSqlite]
    [Trait("Category", "Long")]
    public Task A_rebuild_a_swap_and_a_reset_survive_kills(string database) => RunAsync(database, 600, kills: 1);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task A_rebuild_a_swap_and_a_reset_survive_many_kills(string database) => RunAsync(database, LongShare.Of(100_000), kills: 7);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public async Task A_pause_survives_kills(string database)
    {
        await using var bank = await BankOfTest.OpenAsync(await host.NewPlaceAsync(database), output);
        await bank.AppendAsync(5_000, 500);
        var work = new BankWork { Place = bank.Place };
        await KillPausedAsync(bank, work with { PauseAfter = 1_000 });
        await bank.Control.PauseAsync(BankWork.Projection);
        var handled = await bank.HandledAsync();
        for (var kill = 0; kill < 3; kill++)
        {
            await using var paused = bank.Start(work);
            await bank.AppendAsync(100, 500);
            var end = (await bank.JournalAsync())[^1].Ordering;
            await Wait.UntilAsync(async () => (await bank.StatusAsync())!.JournalEnd >= end, () => "the end of the journal to be stored");
            Assert.True((await bank.StatusAsync())!.IsPaused);
            Assert.Equal(handled, await bank.HandledAsync());
        }
        await bank.Control.ResumeAsync(BankWork.Projection);
        await using var last = bank.Start(work);
        await bank.EndAsync([last]);
    }

    private async Task RunAsync(string database, int events, int kills)
    {
        await using var bank = await BankOfTest.OpenAsync(await host.NewPlaceAsync(database), output);
        await bank.AppendAsync(events, events / 20);
        var work = new BankWork { Place = bank.Place };
        await KillPausedAsync(bank, work with { PauseAfter = bank.Random.Next(1, events / 2) });
        var rebuild = bank.Control.RebuildAsync(BankWork.Projection, Other);
        for (var left = kills; left > 0; left--)
            await KillPausedAsync(bank, work with { PauseAfter = bank.Random.Next(1, events / (kills + 1)) });
        await using (var process = bank.Start(work))
        {
            await rebuild.WithinAsync("the start of the rebuild");
            await bank.EndAsync([process]);
            await bank.EndAsync([process], Other);
            // Both versions follow, and the last events bring all lanes of both to the same offset.
            await bank.AppendAsync(300, events / 20);
            await bank.EndAsync([process], Other);
            await bank.EndAsync([process]);
            await SwapAsync(bank, process);
        }
        await ResetAsync(bank, work, kills);
    }

    private static async Task SwapAsync(BankOfTest bank, OtherProcess process)
    {
        await Wait.UntilAsync(() => IsDoneAsync(bank.Control.SwapAsync(BankWork.Projection, Other)), () => "the swap, once both are at the same offset");
        Assert.Equal([Other], await bank.ReadAsync($"SELECT version FROM {BankTables.Live}", row => row.GetString(0)));
        Assert.Equal(VersionRole.Live, (await bank.StatusAsync(Other))!.Role);
        Assert.Equal(VersionRole.Retired, (await bank.StatusAsync())!.Role);
        await bank.AppendAsync(100, 10);
        await bank.EndAsync([process], Other);
    }

    private static async Task<bool> IsDoneAsync(Task command)
    {
        try
        {
            await command.WithinAsync("a command");
            return true;
        }
        catch (ProjectionException)
        {
            return false;
        }
    }

    private static async Task ResetAsync(BankOfTest bank, BankWork work, int kills)
    {
        var reset = bank.Control.ResetAsync(BankWork.Projection, Other);
        for (var left = kills; left > 0; left--)
            await KillPausedAsync(bank, work with { PauseAfter = bank.Random.Next(1, bank.Events / (kills + 1)) });
        await using var last = bank.Start(work);
        await reset.WithinAsync("the reset");
        await bank.EndAsync([last], Other);
    }

    private static async Task KillPausedAsync(BankOfTest bank, BankWork work)
    {
        await using var process = bank.Start(work);
        await process.UntilAsync("paused", 1);
        await process.KillAsync();
        bank.Print($"killed in a transaction with {await bank.HandledAsync()} and {await bank.HandledAsync(Other)} handled");
    }
}
