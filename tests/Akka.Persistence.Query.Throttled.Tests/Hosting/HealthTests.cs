using System.Net;
using System.Net.Sockets;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Health;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Akka.Streams;
using Akka.Streams.Dsl;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

public sealed class HealthTests
{
    private const string Path = "akka.persistence.query.journal.throttled";

    [Fact]
    public async Task A_readable_journal_is_healthy_and_reports_its_figures()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await using var app = await TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal(journal.ConnectionString, "SQLite"), health => health.AddThrottledReadJournal(timeout: TimeSpan.FromMinutes(1)));
        var entry = await app.HealthAsync();
        Assert.Equal((HealthStatus.Healthy, $"The journal '{Path}' can be read."), (entry.Status, entry.Description));
        Assert.Equal(["akka", "persistence", "throttled", "readjournal", "ready"], entry.Tags);
        Assert.Equal(
            new Dictionary<string, object>
            {
                ["journal"] = Path, ["permits"] = 100, ["permits-held"] = 0, ["longest-permit-wait"] = TimeSpan.Zero, ["high-water-mark-stalled-for"] = TimeSpan.Zero,
            },
            entry.Data);
    }

    [Fact]
    public async Task A_check_that_is_added_to_the_journal_is_registered_by_Akka_Hosting()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await using var app = await TestApp.StartAsync(builder => builder
            .WithThrottledReadJournal(journal.ConnectionString, "SQLite", journalBuilder: each => each.WithHealthCheck()), _ => { });
        var entry = await app.HealthAsync();
        Assert.Equal((HealthStatus.Healthy, $"The journal '{Path}' can be read."), (entry.Status, entry.Description));
        Assert.Superset(new HashSet<string> { "akka", "persistence", "throttled", "readjournal", "ready" }, entry.Tags.ToHashSet());
        await app.System.Terminate().WithinAsync("the system has terminated");
        entry = await app.HealthAsync();
        Assert.Equal((HealthStatus.Unhealthy, $"The journal '{Path}' is closed: the actor system 'app' has terminated."), (entry.Status, entry.Description));
    }

    [Fact]
    public async Task A_check_that_is_added_to_the_journal_has_the_given_status_name_and_tags()
    {
        await using var app = await TestApp.StartAsync(builder => builder.WithThrottledReadJournal(
            $"Data Source={TestJournal.NewFile()}",
            "SQLite",
            options => options.Identifier = "orders",
            journal => journal.WithHealthCheck(HealthStatus.Degraded, "my-check", ["mine"], TimeSpan.FromMinutes(1))), _ => { });
        var report = await app.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(each => each.Tags.Contains("mine")).WithinAsync("a report");
        var (name, entry) = Assert.Single(report.Entries);
        Assert.Equal(("my-check", HealthStatus.Degraded), (name, entry.Status));
        Assert.StartsWith("The journal 'akka.persistence.query.journal.orders' cannot be read: ", entry.Description, StringComparison.Ordinal);
        Assert.DoesNotContain("ready", entry.Tags);
    }

    [Fact]
    public async Task The_health_check_opens_a_journal_that_is_only_configured_in_HOCON()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await using var app = await TestApp.StartAsync(
            builder => builder.AddHocon(
                $$"""
                akka.persistence.query.journal.orders {
                  class = "Akka.Persistence.Query.Throttled.ThrottledReadJournalProvider, Akka.Persistence.Query.Throttled"
                  connection-string = "{{journal.ConnectionString}}"
                  provider-name = SQLite
                }
                """,
                HoconAddMode.Prepend),
            health => health.AddThrottledReadJournal("orders", "my-check", tags: ["mine"]));
        var entry = await app.HealthAsync();
        Assert.Equal((HealthStatus.Healthy, "akka.persistence.query.journal.orders"), (entry.Status, entry.Data["journal"]));
        Assert.Equal(["mine"], entry.Tags);
    }

    [Fact]
    public async Task SQL_Server_in_an_application_without_cultures_is_unhealthy_with_the_reason()
    {
        var output = await WithoutCultures.RunAsync();
        Assert.StartsWith($"{HealthStatus.Unhealthy}\n", output, StringComparison.Ordinal);
        Assert.Contains("Globalization Invariant Mode", output, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter2", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_journal_without_its_table_is_unhealthy_until_the_table_exists()
    {
        var file = TestJournal.NewFile();
        await using (var app = await TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal($"Data Source={file}", "SQLite"), health => health.AddThrottledReadJournal(timeout: TimeSpan.FromMinutes(1))))
        {
            await File.WriteAllBytesAsync(file, []);
            var entry = await app.HealthAsync();
            Assert.Equal(HealthStatus.Unhealthy, entry.Status);
            Assert.StartsWith($"The journal '{Path}' cannot be read: ", entry.Description);
            Assert.Contains("no such table: journal", entry.Description);
            Assert.EndsWith($" Create it, or correct '{Path}.default.journal.table-name'.", entry.Description);
            await using var appender = SqliteJournal.OpenAppender($"Data Source={file}");
            await appender.CreateAsync();
            Assert.Equal(HealthStatus.Healthy, (await app.HealthAsync()).Status);
        }
        TestJournal.Delete(file);
    }

    [Fact]
    public async Task The_check_and_the_reader_name_settings_as_the_user_wrote_them()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await journal.AppendAsync("a");
        await using var app = await TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal(journal.ConnectionString, "SQLite", options => options.TagTableName = "nowhere"), health => health.AddThrottledReadJournal(timeout: TimeSpan.FromMinutes(1)));
        var entry = await app.HealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Contains($"'{Path}.tag-read-mode' is TagTable, but there is no table", entry.Description);
        Assert.Contains($"correct '{Path}.default.tag.table-name'", entry.Description);
    }

    [Fact]
    public async Task Queries_that_wait_too_long_for_a_permit_degrade_the_health()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await journal.AppendAsync("a");
        await using var app = await TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal(journal.ConnectionString, "SQLite", options =>
                (options.MaxQueriesPerSecond, options.Burst, options.QueryThrottleWarning) = (1, 1, TimeSpan.FromSeconds(1))),
            health => health.AddThrottledReadJournal(timeout: TimeSpan.FromMinutes(1)));
        // Each query has its own statement, and one statement may start in a second.
        for (var i = 0; i < 100; i++)
            _ = app.Journal().EventsByTag($"tag-{i}", NoOffset.Instance).RunWith(Sink.Ignore<EventEnvelope>(), app.System.Materializer());
        var entry = await app.HealthAsync(HealthStatus.Degraded);
        Assert.StartsWith($"A query of '{Path}' has waited for a permit for ", entry.Description);
        Assert.Contains($"longer than '{Path}.query-throttle-warning' (1 s)", entry.Description);
        Assert.EndsWith($"Raise '{Path}.max-queries-per-second' if the database has capacity.", entry.Description);
        Assert.True((TimeSpan)entry.Data["longest-permit-wait"] > TimeSpan.FromSeconds(1));
    }

    [Theory]
    [InlineData(4, 4, 0, "4 of 4 permits are held. Find out what keeps the database busy: it does not accept more statements at once.")]
    [InlineData(4, 4, 1, "4 of 4 permits are held. Find out what keeps the database busy: it does not accept more statements at once.")]
    [InlineData(10, 3, 1, "3 of 10 permits are held. Raise 'a.max-queries-per-second' if the database has capacity.")]
    [InlineData(10, 10, 0, "10 of 10 permits are held. Find out what keeps the database busy, or raise 'a.max-concurrent-queries' if it has capacity.")]
    public void The_advice_fits_the_cause_of_the_wait(int permits, int held, int perSecond, string advice)
    {
        var report = new JournalHealthReport("a", new() { MaxConcurrentQueries = 10, MaxQueriesPerSecond = perSecond }, HealthStatus.Unhealthy);
        var result = report.Of(new() { LongestWait = TimeSpan.FromMinutes(1), Permits = permits, PermitsHeld = held });
        Assert.EndsWith(advice, result.Description);
        Assert.Equal(permits, result.Data["permits"]);
    }

    [Fact]
    public async Task A_database_that_does_not_answer_is_reported_within_the_timeout()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        await using var app = await TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal(
                $"Host=127.0.0.1;Port={((IPEndPoint)silent.LocalEndpoint).Port};Username=u;Password=hunter2;Database=d", "PostgreSQL"),
            health => health.AddThrottledReadJournal(failureStatus: HealthStatus.Degraded, timeout: TimeSpan.FromMilliseconds(200)));
        var entry = await app.HealthAsync();
        Assert.Equal((HealthStatus.Degraded, $"The journal '{Path}' did not answer within 200 ms."), (entry.Status, entry.Description));
        // A check that hangs is reported again, and checks do not accumulate.
        Assert.Equal(entry.Description, (await app.HealthAsync()).Description);
        silent.Stop();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_journal_whose_actor_system_has_terminated_is_unhealthy(bool wasOpen)
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await using var app = await TestApp.StartAsync(
            builder => builder.AddHocon(
                $"{Path} {{ connection-string = \"{journal.ConnectionString}\", provider-name = SQLite }}", HoconAddMode.Prepend),
            health => health.AddThrottledReadJournal(timeout: TimeSpan.FromMinutes(1)));
        if (wasOpen)
            Assert.Equal(HealthStatus.Healthy, (await app.HealthAsync()).Status);
        await app.System.Terminate().WithinAsync("the system has terminated");
        var entry = await app.HealthAsync();
        Assert.Equal(
            (HealthStatus.Unhealthy, $"The journal '{Path}' is closed: the actor system 'app' has terminated."), (entry.Status, entry.Description));
    }

    [Fact]
    public async Task A_closed_journal_is_unhealthy_with_the_reason()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await using var app = await TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal(journal.ConnectionString, "SQLite"), health => health.AddThrottledReadJournal(timeout: TimeSpan.FromMinutes(1)));
        await app.Journal().Engine.DisposeAsync();
        var entry = await app.HealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Contains($"The read journal '{Path}' is closed", entry.Description);
    }

    [Fact]
    public async Task A_missing_or_wrong_configuration_is_unhealthy_with_the_reason()
    {
        await using var app = await TestApp.StartAsync(
            builder => builder.AddHocon(Path + ".burst = 0", HoconAddMode.Prepend), health => health.AddThrottledReadJournal(timeout: TimeSpan.FromMinutes(1)));
        var entry = await app.HealthAsync();
        Assert.Equal(
            (HealthStatus.Unhealthy, $"The journal '{Path}' cannot be read: '{Path}.connection-string' is empty"),
            (entry.Status, entry.Description!.Split(',')[0]));
        await using var other = await TestApp.StartAsync(_ => { }, health => health.AddThrottledReadJournal("orders"));
        entry = await other.HealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Contains("akka.persistence.query.journal.orders", entry.Description);
    }

    [Fact]
    public void Invalid_arguments_of_the_health_check_are_refused()
    {
        var builder = new ServiceCollection().AddHealthChecks();
        Assert.Throws<ConfigurationException>(() => builder.AddThrottledReadJournal("my.orders"));
        Assert.Throws<ArgumentOutOfRangeException>(() => builder.AddThrottledReadJournal(timeout: TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => new AkkaConfigurationBuilder(builder.Services, "app")
            .WithThrottledReadJournal(journalBuilder: journal => journal.WithHealthCheck(timeout: TimeSpan.Zero)));
        builder.AddThrottledReadJournal(timeout: Timeout.InfiniteTimeSpan);
    }
}
