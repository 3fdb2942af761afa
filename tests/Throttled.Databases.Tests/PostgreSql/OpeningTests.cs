using Npgsql;
using Throttled.Testing;
using Throttled.Journal.Sql;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>What fails while a connection is opened says nothing about any query.</summary>
public class OpeningTests
{
    private const int Queries = 40;

    [Theory]
    [InlineData("XX000", "FATAL", nameof(FaultKind.ConnectionLost))]
    [InlineData("XX000", "ERROR", nameof(FaultKind.Unreadable))]
    [InlineData("XX001", "PANIC", nameof(FaultKind.ConnectionLost))]
    [InlineData("08P01", "FATAL", nameof(FaultKind.ConnectionLost))]
    [InlineData("55000", "FATAL", nameof(FaultKind.ConnectionLost))]
    [InlineData("57014", "FATAL", nameof(FaultKind.ConnectionLost))]
    [InlineData("57014", "ERROR", nameof(FaultKind.TimedOut))]
    [InlineData("53300", "FATAL", nameof(FaultKind.TooManyConnections))]
    [InlineData("57P03", "FATAL", nameof(FaultKind.ConnectionLost))]
    [InlineData("28P01", "FATAL", nameof(FaultKind.Fatal))]
    [InlineData("28000", "FATAL", nameof(FaultKind.Fatal))]
    [InlineData("3D000", "FATAL", nameof(FaultKind.Fatal))]
    [InlineData("42501", "FATAL", nameof(FaultKind.Fatal))]
    [InlineData("22023", "FATAL", nameof(FaultKind.Fatal))]
    public void An_error_that_ends_the_session_is_no_rows_fault(string state, string severity, string kind) =>
        Assert.Equal(kind, PostgreSqlFaults.Classify(new PostgresException("text", severity, severity, state)).ToString());

    [PostgreSqlFact]
    public async Task A_pooler_that_refuses_connections_with_a_code_of_its_own_fails_no_query()
    {
        await using var journal = await CreateAsync();
        foreach (var number in Enumerable.Range(1, Queries))
            await journal.AppendAsync($"id-{number}", 1);
        await using var proxy = LimitProxy.Before(journal.ConnectionString, 3, "XX000");
        // One query a statement, so that many connections are wanted.
        await using var reader = PostgreSqlJournal.OpenReader(proxy.ConnectionString, new() { MaxRowsPerStatement = 500 });
        var readings = Enumerable.Range(1, Queries).Select(number => LiveReading.Of(reader.EventsByPersistenceId($"id-{number}"))).ToList();
        foreach (var reading in readings)
        {
            await reading.UntilAsync(1);
            await reading.DisposeAsync();
        }
        Assert.True(proxy.Refused > 0, "No connection was refused.");
    }

    [PostgreSqlTheory]
    [InlineData(typeof(InvalidOperationException))]
    [InlineData(typeof(FormatException))]
    [InlineData(typeof(ArgumentException))]
    [InlineData(typeof(TimeoutException))]
    [InlineData(typeof(HttpRequestException))]
    [InlineData(typeof(TaskCanceledException))]
    public async Task A_password_provider_that_fails_is_asked_again(Type failure)
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 2);
        var failures = 3;
        var settings = new NpgsqlConnectionStringBuilder(journal.ConnectionString) { Pooling = false };
        var password = settings.Password;
        settings.Password = null;
        string Password() => Interlocked.Decrement(ref failures) >= 0 ? throw (Exception)Activator.CreateInstance(failure)! : password!;
        await using var given = new NpgsqlDataSourceBuilder(settings.ConnectionString)
            .UsePasswordProvider(_ => Password(), (_, _) => new(Password())).Build();
        await using var sessions = new PostgreSqlSessions(PostgreSqlSource.Of(given), new());
        var error = await Assert.ThrowsAnyAsync<Exception>(() => sessions.RunAsync(_ => Task.FromResult(0), default));
        Assert.Equal(FaultKind.ConnectionLost, PostgreSqlFaults.Classify(error));

        await using var reader = PostgreSqlJournal.OpenReader(given);
        await using var reading = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await reading.UntilAsync(2);
        Assert.True(failures < 0);
    }
}
