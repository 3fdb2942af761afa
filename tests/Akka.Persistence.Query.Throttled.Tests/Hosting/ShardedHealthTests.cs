using System.Net;
using System.Net.Sockets;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Health;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>The health of a journal of several shards is that of its readable shards, and names the others.</summary>
public sealed class ShardedHealthTests : IAsyncLifetime
{
    private const string Path = "akka.persistence.query.journal.throttled";

    private readonly string[] _files = [TestJournal.NewFile(), TestJournal.NewFile()];

    public async Task InitializeAsync()
    {
        await using var appender = ShardedJournal.OpenAppender([.. _files.Select(Connection)], SqliteJournal.OpenAppender);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(0, 20).Select(i => new JournalEvent { PersistenceId = $"id-{i}", SequenceNumber = 1, SerializerId = 4, Payload = new byte[] { 1 } })]);
    }

    public Task DisposeAsync()
    {
        Array.ForEach(_files, TestJournal.Delete);
        return Task.CompletedTask;
    }

    [Fact]
    public async Task A_journal_is_healthy_if_all_shards_can_be_read_and_reports_their_figures()
    {
        await using var app = await AppAsync();
        Assert.Equal(20, (await app.FirstAsync(app.Journal().CurrentAllEvents(NoOffset.Instance), 20)).Count);
        var entry = await app.HealthAsync();
        Assert.Equal((HealthStatus.Healthy, $"The journal '{Path}' can be read in all of its 2 shards."), (entry.Status, entry.Description));
        var none = TimeSpan.Zero;
        Assert.Equal(
            new Dictionary<string, object>
            {
                ["journal"] = Path, ["shards"] = 2, ["permits"] = 2, ["permits-held"] = 0, ["longest-permit-wait"] = none, ["high-water-mark-stalled-for"] = none,
                ["shard-0.permits"] = 1, ["shard-0.permits-held"] = 0, ["shard-0.longest-permit-wait"] = none, ["shard-0.high-water-mark-stalled-for"] = none,
                ["shard-1.permits"] = 1, ["shard-1.permits-held"] = 0, ["shard-1.longest-permit-wait"] = none, ["shard-1.high-water-mark-stalled-for"] = none,
            },
            entry.Data);
    }

    [Fact]
    public async Task An_unavailable_shard_degrades_the_journal_and_all_unavailable_make_it_unhealthy()
    {
        Remove(0);
        Remove(1);
        await using var app = await AppAsync();
        var entry = await app.HealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.StartsWith($"The journal '{Path}' cannot be read in any of its 2 shards. Shard 0 (slices 0-511): ", entry.Description, StringComparison.Ordinal);
        Assert.Contains(" Shard 1 (slices 512-1023): ", entry.Description, StringComparison.Ordinal);

        Return(0);
        entry = await app.HealthAsync(HealthStatus.Degraded);
        Assert.StartsWith(
            $"The journal '{Path}' cannot be read in 1 of its 2 shards: queries wait for the events of these shards, and deliver those of the others. Shard 1 (slices 512-1023): ",
            entry.Description, StringComparison.Ordinal);
        Assert.EndsWith((string)entry.Data["shard-1.unreadable"], entry.Description, StringComparison.Ordinal);
        Assert.Equal((1, 1), (entry.Data["shard-0.permits"], entry.Data["permits"]));
        Assert.DoesNotContain("shard-1.permits", entry.Data.Keys);

        Return(1);
        await app.HealthAsync(HealthStatus.Healthy);
    }

    [Fact]
    public async Task A_shard_that_does_not_answer_does_not_delay_the_others()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        await using var app = await TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal(options =>
            {
                options.Shards = [$"Host=127.0.0.1;Port={((IPEndPoint)silent.LocalEndpoint).Port};Username=u;Database=d", "Host=127.0.0.1;Port=1;Username=u;Database=d"];
                options.ProviderName = "PostgreSQL";
            }),
            health => health.AddThrottledReadJournal(failureStatus: HealthStatus.Degraded, timeout: TimeSpan.FromSeconds(1)));
        HealthReportEntry entry = default;
        // On a busy machine, a refused connection may also take longer.
        await Wait.UntilAsync(
            async () => !Equals((entry = await app.HealthAsync()).Data["shard-0.unreadable"], entry.Data["shard-1.unreadable"]),
            () => $"a refusal by shard 1; the health is {entry.Description}");
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Contains("Shard 0 (slices 0-511): It did not answer within 1 s.", entry.Description, StringComparison.Ordinal);
        silent.Stop();
    }

    [Fact]
    public async Task A_closed_shard_is_reported_with_the_reason()
    {
        await using var app = await AppAsync();
        await app.Journal().Engines[1].DisposeAsync();
        var entry = await app.HealthAsync();
        Assert.Equal((HealthStatus.Degraded, $"The read journal '{Path}' is closed, because its actor system 'app' terminates."), (entry.Status, entry.Data["shard-1.unreadable"]));
    }

    [Fact]
    public async Task A_shard_with_the_mark_of_another_is_unhealthy_because_queries_of_all_shards_fail()
    {
        await using (var others = new SqliteConnection(Connection(_files[1])))
        {
            await others.OpenAsync();
            await using var command = others.CreateCommand();
            command.CommandText = "UPDATE throttled_shards SET shard = 0";
            await command.ExecuteNonQueryAsync();
        }
        await using var app = await AppAsync();
        var entry = await app.HealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.StartsWith(
            $"The journal '{Path}' cannot be read in 1 of its 2 shards: queries of all shards fail. Shard 1 (slices 512-1023): ", entry.Description, StringComparison.Ordinal);
    }

    [Fact]
    public void Warnings_about_a_readable_shard_name_that_shard()
    {
        var map = ShardMap.Even(2);
        var shards = new[] { 0, 1 }.Select(shard => new ShardHealth(
            new() { Shard = new(map, shard), GapTimeout = TimeSpan.FromSeconds(10) },
            new() { Permits = 1, HighWaterMarkStalledFor = shard == 0 ? null : TimeSpan.FromMinutes(1) }));
        var result = new ShardsHealthReport("a", HealthStatus.Unhealthy).Of([.. shards]);
        Assert.Equal(HealthStatus.Degraded, result.Status);
        Assert.StartsWith(
            "The journal 'a' can be read in all of its 2 shards. Shard 1 (slices 512-1023): The high-water mark of 'a' has been stalled for 1 min, ",
            result.Description, StringComparison.Ordinal);
        Assert.Equal((TimeSpan.FromMinutes(1), TimeSpan.Zero), (result.Data["high-water-mark-stalled-for"], result.Data["shard-0.high-water-mark-stalled-for"]));
    }

    private static string Connection(string file) => $"Data Source={file}";

    private Task<TestApp> AppAsync() => TestApp.StartAsync(
        builder => builder.WithThrottledReadJournal(options =>
        {
            options.Shards = [.. _files.Select(Connection)];
            options.ProviderName = "SQLite";
            options.MaxConcurrentQueries = 1;
        }),
        health => health.AddThrottledReadJournal(timeout: TimeSpan.FromMinutes(1)));

    private void Remove(int shard) => File.Move(_files[shard], _files[shard] + ".removed");

    private void Return(int shard) => File.Move(_files[shard] + ".removed", _files[shard]);
}
