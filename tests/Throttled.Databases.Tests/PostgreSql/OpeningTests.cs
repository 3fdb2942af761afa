using System.Security.Authentication;
using System.Security.Cryptography;
using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using Throttled.Testing.Scripted;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>A failure to open a connection is not blamed on a query.</summary>
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
    public void An_error_that_ends_the_session_is_not_blamed_on_a_row(string state, string severity, string kind) =>
        Assert.Equal(kind, PostgreSqlFaults.Classify(new PostgresException("text", severity, severity, state)).ToString());

    [Fact]
    public void Exceptions_while_a_connection_opens_end_no_query_at_once_unless_the_configuration_is_wrong() => Seeds.ForEach(2_000, seed => seed, seed =>
    {
        var error = Draw(new(seed));
        var kind = PostgreSqlFaults.Classify(PostgreSqlFaults.IsOfOpeningOnly(error) ? new OpeningException("text", error) : error);
        Assert.True(
            kind is FaultKind.ConnectionLost or FaultKind.TooManyConnections or FaultKind.Transient || (kind is FaultKind.Fatal or FaultKind.MissingTable && IsConfigured(error)),
            $"{kind}: {error}");
    });

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Error_codes_while_a_connection_opens_end_no_query_at_once_unless_the_configuration_is_wrong(int seed)
    {
        var random = new Random(seed);
        var state = "";
        await using var proxy = LimitProxy.Alone(() => state);
        await using var sessions = new PostgreSqlSessions(PostgreSqlSource.Parse(proxy.ConnectionString), new());
        for (var i = 0; i < 50; i++)
        {
            state = StateOf(random);
            var error = await Assert.ThrowsAnyAsync<Exception>(() => sessions.RunAsync(_ => Task.FromResult(0), default));
            var kind = PostgreSqlFaults.Classify(error);
            Assert.True(
                kind is FaultKind.ConnectionLost or FaultKind.TooManyConnections or FaultKind.Transient || (kind is FaultKind.Fatal or FaultKind.MissingTable && IsConfigured(error)),
                $"Seed {seed}, code {state}: {kind}, {error}");
        }
    }

    [PostgreSqlFact]
    public async Task A_pooler_that_refuses_connections_with_a_code_of_its_own_fails_no_query()
    {
        await using var journal = await CreateAsync();
        foreach (var number in Enumerable.Range(1, Queries))
            await journal.AppendAsync($"id-{number}", 1);
        await using var proxy = LimitProxy.Before(journal.ConnectionString, 3, "XX000");
        // One query a statement, so that many connections are needed.
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
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pooler_that_ends_a_session_in_the_middle_of_a_row_fails_no_query(bool isPooled)
    {
        await using var journal = await CreateAsync();
        foreach (var id in (string[])["a", "b", "c"])
            await journal.AppendAsync(id, 1);
        await using var proxy = GarblingProxy.Before(journal.ConnectionString);
        await using var given = NpgsqlDataSource.Create(proxy.ConnectionString);
        await using var reader = isPooled ? PostgreSqlJournal.OpenReader(given) : PostgreSqlJournal.OpenReader(proxy.ConnectionString);
        Assert.Equal(["a", "b", "c"], await reader.CurrentPersistenceIds().AllAsync());
        proxy.Garble();
        Assert.Equal(["a", "b", "c"], await reader.CurrentPersistenceIds().AllAsync());
        Assert.Equal(1, proxy.Garbled);
        Assert.Equal(["a", "b", "c"], await reader.CurrentPersistenceIds().AllAsync());
    }

    [PostgreSqlTheory]
    [InlineData(typeof(InvalidOperationException))]
    [InlineData(typeof(FormatException))]
    [InlineData(typeof(ArgumentException))]
    [InlineData(typeof(TimeoutException))]
    [InlineData(typeof(HttpRequestException))]
    [InlineData(typeof(TaskCanceledException))]
    public async Task A_password_provider_that_fails_is_called_again(Type failure)
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

    private static Exception Draw(Random random)
    {
        Exception?[] inner =
        [
            null, new IOException("text"), new System.Net.Sockets.SocketException(), new TimeoutException(), new AuthenticationException("text"), new AggregateException(),
            new InvalidCastException(),
        ];
        Exception[] others =
        [
            new InvalidOperationException("text"), new FormatException(), new ArgumentException("text"), new OverflowException(), new InvalidCastException(),
            new HttpRequestException(), new KeyNotFoundException(), new UnauthorizedAccessException(), new CryptographicException(), new NotSupportedException(),
            new ObjectDisposedException("text"), new TimeoutException(), new IOException(),
        ];
        string[] texts = ["text", "The connection pool has been exhausted", "No password has been provided", "SSL connection requested. No SSL enabled connection"];
        string[] severities = ["FATAL", "PANIC", "ERROR"];
        var severity = severities[random.Next(severities.Length)];
        return random.Next(4) switch
        {
            0 => others[random.Next(others.Length)],
            1 => new NpgsqlException(texts[random.Next(texts.Length)], inner[random.Next(inner.Length)]),
            _ => new PostgresException("text", severity, severity, StateOf(random)),
        };
    }

    // Codes of the classes that servers and poolers use, and random codes.
    private static string StateOf(Random random)
    {
        string[] known = ["XX000", "XX001", "08P01", "08006", "0A000", "53000", "53200", "53300", "55000", "55P03", "57014", "57P01", "57P03", "58000", "40P01", "28P01", "3D000", "42501", "42P01", "22023", "25P04"];
        const string Letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        return random.Next(2) == 0 ? known[random.Next(known.Length)] : string.Concat(Enumerable.Range(0, 5).Select(_ => Letters[random.Next(Letters.Length)]));
    }

    // Mistakes of a connection string or a server's settings.
    private static bool IsConfigured(Exception error) => error switch
    {
        PostgresException { InvariantSeverity: "ERROR" } => true,
        PostgresException refused => refused.SqlState[..2] is "28" or "3D" or "42" or "22",
        NpgsqlException { InnerException: AuthenticationException } => true,
        NpgsqlException => error.Message.StartsWith("No password", StringComparison.Ordinal) || error.Message.StartsWith("SSL", StringComparison.Ordinal),
        _ => error is CryptographicException or NotSupportedException,
    };
}
