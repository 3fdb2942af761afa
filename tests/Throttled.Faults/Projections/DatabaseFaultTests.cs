using Npgsql;
using Throttled.Faults.PostgreSql;
using Throttled.Faults.Projections.Bank;

namespace Throttled.Faults.Projections;

/// <summary>PostgreSQL fails during transactions, or its answers are lost. The projection waits, and neither it nor one of its lanes ends.</summary>
public sealed class DatabaseFaultTests(BankHost host, ITestOutputHelper output) : IClassFixture<BankHost>
{
    private const string Name = "Application Name=projection";

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_a_server_was_killed_sessions_terminated_and_answers_to_commits_lost()
    {
        using var server = PostgreSqlServer.Start();
        var strikes = 0;
        await RunAsync(
            BankHost.OnServer(server), 600, 3, bank => strikes++ == 0 ? Task.Run(server.Restart) : TerminateAsync(bank), shareOfLost: 0.1);
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_many_sessions_were_terminated() =>
        await RunAsync(await host.NewPlaceAsync(OnPostgreSqlAttribute.Name), LongShare.Of(100_000), LongShare.Of(300), TerminateAsync, shareOfLost: 0);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_many_answers_to_commits_were_lost() =>
        await RunAsync(await host.NewPlaceAsync(OnPostgreSqlAttribute.Name), LongShare.Of(100_000), 0, TerminateAsync, shareOfLost: 0.1);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_the_server_of_journal_and_read_model_was_killed_several_times()
    {
        using var server = PostgreSqlServer.Start();
        await RestartAsync(BankHost.OnServer(server), server);
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_the_server_of_the_read_model_alone_was_killed_several_times()
    {
        using var server = PostgreSqlServer.Start();
        await RestartAsync(await host.NewPlaceAsync(OnPostgreSqlAttribute.Name) with { ReadModel = server.CreateDatabase() }, server);
    }

    private Task RestartAsync(BankPlace place, PostgreSqlServer server) =>
        RunAsync(place, LongShare.Of(100_000), LongShare.Of(20), _ => Task.Run(server.Restart), shareOfLost: 0);

    private async Task RunAsync(BankPlace place, int events, int count, Func<BankOfTest, Task> strike, double shareOfLost)
    {
        await using var proxy = FaultProxy.Before(place.ReadModel);
        await using var bank = await BankOfTest.OpenAsync(place, output);
        await bank.AppendAsync(events, events / 20);
        var strikes = Strikes.Of(count, bank, () => strike(bank));
        var random = new Random(bank.Seed);
        proxy.LosesCommit = () => Next(random) < shareOfLost;
        await using var run = BankRun.Start(
            new() { Place = place with { Journal = $"{place.Journal};{Name}", ReadModel = $"{proxy.ConnectionString};{Name}" } }, strikes);
        await EndAsync(bank, run);
        proxy.LosesCommit = null;
        Assert.Equal(count, strikes.Count);
        Assert.Equal(shareOfLost > 0, proxy.LostCommits > 0);
        bank.Print($"{count} faults, {proxy.LostCommits} answers to commits lost; lanes waited for the read model database {run.Waits} times");
    }

    private static double Next(Random random)
    {
        lock (random)
            return random.NextDouble();
    }

    private static async Task EndAsync(BankOfTest bank, BankRun run)
    {
        await Wait.UntilAsync(
            async () =>
            {
                run.Goes();
                return await HandledAsync(bank) >= bank.Events;
            },
            () => "all events handled",
            TimeSpan.FromMinutes(5));
        await bank.CheckAsync();
        run.Goes();
    }

    // The server may be down now.
    private static async Task<long> HandledAsync(BankOfTest bank)
    {
        try
        {
            return await bank.HandledAsync();
        }
        catch (NpgsqlException)
        {
            return 0;
        }
    }

    private static Task TerminateAsync(BankOfTest bank) => bank.ExecuteAsync(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'projection' AND random() < 0.5");
}
