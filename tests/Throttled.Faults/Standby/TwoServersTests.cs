using Npgsql;
using Throttled.Faults.Rewound;
using Throttled.Faults.World;
using Throttled.Journal.PostgreSql;

namespace Throttled.Faults.Standby;

/// <summary>One address leads in turn to a primary and to a standby that is behind, like that of a load balancer.</summary>
[Collection(AloneCollection.Name)]
public sealed class TwoServersTests
{
    private const int Readers = 4;
    private const int Before = 10_000;
    private const int After = 4_000;

    [PostgreSqlTheory]
    [InlineData(true)]
    [InlineData(false)]
    [Trait("Category", "Long")]
    public async Task An_address_that_leads_to_two_servers_in_turn_skips_no_event_and_is_refused(bool prepare)
    {
        await using var world = await StandbyWorld.StartAsync(new() { ["recovery_min_apply_delay"] = "3s" });
        await using var address = new ServerSwitch(world.Primary.Port, world.Standby.Port);
        await world.Journal.AppendAsync(TestEvents.Of("before", 1, Before));
        await Wait.UntilAsync(() => world.HasAsync(Before), () => "a standby with the earlier events");
        var options = new JournalOptions { PrepareStatements = prepare, FatalErrorGracePeriod = TimeSpan.FromSeconds(5), MaxBufferSize = 100 };
        await using var reader = PostgreSqlJournal.OpenReader(address.Through(world.AtStandby), options);

        var readings = Enumerable.Range(0, Readers).Select(_ => ReadAsync(reader.AllEvents())).ToList();
        for (var i = 0; i < After / 100; i++)
            await world.Journal.AppendAsync(TestEvents.Of("after", 1 + (i * 100), 100));
        foreach (var (orderings, failure) in await Task.WhenAll(readings))
        {
            Assert.Equal(Enumerable.Range(1, orderings.Count).Select(n => (long)n), orderings);
            Assert.Contains("leads to several servers in turn", failure?.Message ?? "", StringComparison.Ordinal);
        }

        address.To(world.Primary.Port);
        await Wait.UntilAsync(
            async () => (await ReadAsync(reader.CurrentAllEvents())).Orderings.Count == Before + After, () => "all events of the only remaining server",
            TimeSpan.FromMinutes(2));
    }

    // The second server has half of the events, like a standby that is behind.
    [PostgreSqlTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_address_that_leads_in_turn_to_a_server_that_is_behind_is_refused(bool prepare)
    {
        using var servers = new PostgreSqlServers(2);
        int[] events = [200, 100];
        foreach (var (server, count) in servers.All.Zip(events))
        {
            await using var appender = PostgreSqlJournal.OpenAppender(server.ConnectionString());
            await appender.CreateAsync();
            await appender.AppendAsync([.. TestEvents.Of("id", 1, count)]);
        }
        int[] ports = [.. servers.All.Select(server => server.Port)];
        await using var address = new ServerSwitch(ports);
        var options = new JournalOptions { PrepareStatements = prepare, FatalErrorGracePeriod = TimeSpan.Zero, MaxBufferSize = 10 };
        await using var reader = PostgreSqlJournal.OpenReader(address.Through(servers.All[0].ConnectionString()), options);

        List<string> failures = [];
        for (var round = 0; failures.Count == 0; round++)
        {
            Assert.InRange(round, 0, 20);
            foreach (var (orderings, failure) in await Task.WhenAll(Enumerable.Range(0, Readers).Select(_ => ReadAsync(reader.CurrentAllEvents()))))
            {
                Assert.Equal(Enumerable.Range(1, orderings.Count).Select(n => (long)n), orderings);
                failures.AddRange(failure is null ? [] : [failure.Message]);
            }
            // One session may have served all of them. The next one leads to the other server.
            address.To(ports);
        }
        Assert.All(failures, failure => Assert.Contains("leads to several servers in turn", failure, StringComparison.Ordinal));
    }

    private static async Task<(List<long> Orderings, JournalException? Failure)> ReadAsync(IAsyncEnumerable<JournalEvent> events)
    {
        List<long> orderings = [];
        try
        {
            await foreach (var each in events)
                orderings.Add(each.Ordering);
            return (orderings, null);
        }
        catch (JournalException failure)
        {
            return (orderings, failure);
        }
    }
}
