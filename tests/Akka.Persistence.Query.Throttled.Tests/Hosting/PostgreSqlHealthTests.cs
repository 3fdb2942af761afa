using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Streams;
using Akka.Streams.Dsl;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Npgsql;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

[Collection(OnPostgreSql.Name)]
public sealed class PostgreSqlHealthTests(PostgreSqlFixture fixture)
{
    private const string Path = "akka.persistence.query.journal.throttled";

    [PostgreSqlFact]
    public async Task An_unavailable_database_is_unhealthy_until_it_is_available_again()
    {
        await using var journal = await TestJournal.InPostgreSqlAsync(fixture.Server);
        await using var app = await AppAsync(journal.ConnectionString);
        Assert.Equal(HealthStatus.Healthy, (await app.HealthAsync()).Status);
        fixture.Server.Stop();
        var entry = await app.HealthAsync();
        fixture.Server.Start();
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.StartsWith($"The journal '{Path}' cannot be read: ", entry.Description);
        Assert.Equal(HealthStatus.Healthy, (await app.HealthAsync(HealthStatus.Healthy)).Status);
    }

    [PostgreSqlFact]
    public async Task A_transaction_that_stalls_the_high_water_mark_degrades_the_health_until_it_commits()
    {
        await using var journal = await TestJournal.InPostgreSqlAsync(fixture.Server);
        await journal.AppendAsync("first");
        await using var app = await AppAsync(journal.ConnectionString);
        var events = app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 3);
        await app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 1);
        await using var source = NpgsqlDataSource.Create(journal.ConnectionString);
        await using var connection = await source.OpenConnectionAsync();
        await using var transaction = await connection.BeginTransactionAsync();
        await using var insert = new NpgsqlCommand(
            "INSERT INTO journal (deleted, persistence_id, sequence_number, created, message, identifier, manifest) VALUES (false, 'late', 1, 1, '', 4, '')",
            connection,
            transaction);
        await insert.ExecuteNonQueryAsync();
        await journal.AppendAsync("behind");

        var entry = await app.HealthAsync(HealthStatus.Degraded);

        Assert.StartsWith($"The high-water mark of '{Path}' has been stalled for ", entry.Description);
        Assert.Contains($"longer than '{Path}.gap-timeout' (1 s)", entry.Description);
        Assert.True((TimeSpan)entry.Data["high-water-mark-stalled-for"] > TimeSpan.FromSeconds(1));
        Assert.False(events.IsCompleted);
        await transaction.CommitAsync();
        Assert.Equal(["first", "late", "behind"], (await events).Select(each => each.PersistenceId));
        await app.HealthAsync(HealthStatus.Healthy);
    }

    [PostgreSqlFact]
    public async Task No_text_contains_the_password()
    {
        var connectionString = new NpgsqlConnectionStringBuilder(fixture.Server.ConnectionString()) { Password = "hunter2" }.ConnectionString;
        await using var app = await AppAsync(connectionString);
        var entry = await app.HealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Contains("28P01", entry.Description);
        Assert.Contains("Correct 'Username' or 'Password' in the connection string. The journal is read from database 'postgres' on ", entry.Description);
        Assert.EndsWith($", as '{Path}.connection-string' says.", entry.Description);
        Assert.DoesNotContain("hunter2", $"{entry.Description} {entry.Exception} {string.Join(' ', entry.Data.Values)}");
    }

    [PostgreSqlFact]
    public async Task A_journal_without_its_table_is_unhealthy()
    {
        await using var app = await AppAsync(fixture.Server.CreateDatabase());
        var entry = await app.HealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Contains("42P01", entry.Description);
        Assert.EndsWith($" Create it, or correct '{Path}.default.journal.table-name' or '{Path}.default.schema-name'.", entry.Description);
    }

    private static Task<TestApp> AppAsync(string connectionString) => TestApp.StartAsync(
        builder => builder.WithThrottledReadJournal(connectionString, "PostgreSQL", options => options.GapTimeout = TimeSpan.FromSeconds(1)),
        health => health.AddThrottledReadJournal(timeout: TimeSpan.FromMinutes(1)));
}
