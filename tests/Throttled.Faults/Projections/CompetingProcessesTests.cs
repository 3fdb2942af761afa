using Throttled.Faults.Processes;
using Throttled.Faults.Projections.Bank;

namespace Throttled.Faults.Projections;

/// <summary>Processes share the lanes of a projection while events are appended. Some are killed, and others join.</summary>
public sealed class CompetingProcessesTests(BankHost host, ITestOutputHelper output) : IClassFixture<BankHost>
{
    private const int Lanes = 8;

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public async Task A_second_process_gets_its_share_and_takes_over_the_lanes_of_a_killed_one(string database)
    {
        await using var bank = await BankOfTest.OpenAsync(await host.NewPlaceAsync(database), output);
        await bank.AppendAsync(300, 50);
        await using var stays = bank.Start(Work(bank, "stays"));
        await UntilSharedAsync(bank, "stays");
        await using var killed = bank.Start(Work(bank, "killed") with { PauseAfter = 200 });
        await UntilSharedAsync(bank, "stays", "killed");
        // On a slow machine its leases may expire, and the other process handles some events instead. So events are appended until it has its share.
        await Wait.UntilAsync(
            async () =>
            {
                await bank.AppendAsync(500, 50);
                return killed.Count("paused") > 0;
            },
            () => "the pause of the process");
        await killed.KillAsync();
        await UntilSharedAsync(bank, "stays");
        await bank.EndAsync([stays]);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Two_processes_of_which_one_is_always_killed_keep_balances_exact(string database) => RunAsync(database, 2, Writing.Merged);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Three_processes_of_which_one_is_always_killed_keep_balances_exact(string database) => RunAsync(database, 3, Writing.Plain);

    private async Task RunAsync(string database, int count, Writing writing)
    {
        var kills = LongShare.Of(20);
        await using var bank = await BankOfTest.OpenAsync(await host.NewPlaceAsync(database), output);
        var processes = new Dictionary<string, OtherProcess>();
        try
        {
            for (var number = 0; number < count; number++)
                processes[$"process-{number}"] = bank.Start(Work(bank, $"process-{number}") with { Writing = writing });
            await UntilSharedAsync(bank, [.. processes.Keys]);
            for (var kill = 0; kill < kills; kill++)
                await KillOneAsync(bank, processes, Work(bank, $"process-{count + kill}") with { Writing = writing });
            await bank.EndAsync([.. processes.Values]);
        }
        finally
        {
            foreach (var process in processes.Values)
                await process.DisposeAsync();
        }
    }

    // Events are appended and handled meanwhile. The other processes take over its lanes, and give some to the joining process.
    private static async Task KillOneAsync(BankOfTest bank, Dictionary<string, OtherProcess> processes, BankWork joining)
    {
        var (before, accounts) = (bank.Events, bank.Random.Next(100, 2_000));
        var writing = bank.AppendAsync(10_000, accounts);
        await bank.UntilHandledAsync(before + bank.Random.Next(1, 5_000), processes.Values);
        var victim = processes.Keys.Order(StringComparer.Ordinal).ElementAt(bank.Random.Next(processes.Count));
        await processes[victim].DisposeAsync();
        processes.Remove(victim);
        bank.Print($"{victim} killed with {await bank.HandledAsync()} handled of {bank.Events}");
        await UntilSharedAsync(bank, [.. processes.Keys]);
        processes[joining.Process] = bank.Start(joining);
        await UntilSharedAsync(bank, [.. processes.Keys]);
        await writing;
    }

    private static BankWork Work(BankOfTest bank, string process) => new() { Place = bank.Place, Process = process, Lanes = Lanes };

    /// <summary>Waits until all lanes run and are divided evenly among these processes.</summary>
    private static async Task UntilSharedAsync(BankOfTest bank, params string[] processes)
    {
        var owners = "";
        await Wait.UntilAsync(
            async () =>
            {
                if (await bank.StatusAsync() is not { Lanes: var lanes })
                    return false;
                owners = string.Join(", ", lanes.Select(lane => lane.Owner ?? "none"));
                return processes.All(process => lanes.Count(lane => lane.Owner == process) is var share
                        && (share == Lanes / processes.Length || share == (Lanes + processes.Length - 1) / processes.Length))
                    && lanes.All(lane => processes.Contains(lane.Owner));
            },
            () => $"lanes shared by {string.Join(", ", processes)}; they are of {owners}");
    }
}
