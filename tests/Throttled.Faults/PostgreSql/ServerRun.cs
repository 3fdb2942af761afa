using System.Data.Common;
using Npgsql;
using Throttled.Faults.Fleet;
using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.PostgreSql;

/// <summary>A run on its own server, through its own proxy, as a user with only the right to read.</summary>
internal sealed class ServerRun : IAsyncDisposable
{
    private const int Permits = 4;

    private readonly ITestOutputHelper _output;
    private readonly PermitWatch _watch;
    private readonly PgBouncer? _pooler;
    private int _lostBeside;

    private ServerRun(PostgreSqlServer server, PostgreSqlJournalUnderTest journal, PgBouncer? pooler, FaultProxy proxy, ITestOutputHelper output)
    {
        (Server, Journal, _pooler, Proxy, _output) = (server, journal, pooler, proxy, output);
        Seed = Environment.GetEnvironmentVariable("THROTTLED_SEED") is { } seed ? int.Parse(seed) : Random.Shared.Next();
        Random = new(Seed);
        output.WriteLine($"Seed {Seed}");
        _watch = new(journal);
    }

    internal PostgreSqlServer Server { get; }

    internal PostgreSqlJournalUnderTest Journal { get; }

    internal FaultProxy Proxy { get; }

    /// <summary>The pooler between the proxy and the server; throws if there is none.</summary>
    internal PgBouncer Pooler => _pooler ?? throw new InvalidOperationException("The run has no pooler.");

    internal int Seed { get; }

    internal Random Random { get; }

    internal FaultRun Run { get; private set; } = null!;

    internal StatementMeter Meter => Run.Meter;

    /// <param name="output">The output of the test.</param>
    /// <param name="queries">The number of queries.</param>
    /// <param name="fault">The fault. It also has settings of the server and the reader.</param>
    /// <param name="poolMode">The pool mode of PgBouncer; null for a run without PgBouncer.</param>
    /// <param name="pause">The pause of writers between transactions; null for a very short one.</param>
    internal static async Task<ServerRun> StartAsync(
        ITestOutputHelper output, int queries, ServerFault fault, string? poolMode = null, TimeSpan? pause = null)
    {
        var server = PostgreSqlServer.Start(fault.Connections);
        var journal = await PostgreSqlHost.CreateAsync(server);
        var pooler = poolMode is null ? null : await PgBouncer.BeforeAsync(journal.ReaderConnectionString, poolMode);
        var proxy = FaultProxy.Before(pooler?.ConnectionString ?? journal.ReaderConnectionString);
        journal.ReaderConnectionString = new NpgsqlConnectionStringBuilder(proxy.ConnectionString)
        {
            // The timeout of a connection; the reader waits 10 s by default.
            Timeout = 2,
        }.ConnectionString;
        var run = new ServerRun(server, journal, pooler, proxy, output);
        var plan = new FaultPlan(poolMode is null ? "PostgreSQL" : $"PostgreSQL, PgBouncer by {poolMode}", queries);
        plan = plan with { Pause = pause ?? plan.Pause, Options = plan.Options with { StatementTimeout = fault.Timeout, MaxConcurrentQueries = Permits } };
        run.Run = await FaultRun.StartAsync(journal, plan, output);
        return run;
    }

    /// <summary>Causes a fault and repairs it.</summary>
    internal Task StrikeAsync(ServerFault fault)
    {
        _lostBeside = Math.Max(_lostBeside, fault.LostBeside);
        return Run.StrikeAsync(fault.Name, () => fault.Strike(this), () => fault.Cure(this));
    }

    /// <summary>Causes a fault twice: while the queries catch up, and while they follow.</summary>
    internal async Task StrikeTwiceAsync(ServerFault fault)
    {
        await Run.UntilCatchingUpAsync();
        await StrikeAsync(fault);
        await StrikeAsync(fault);
    }

    /// <summary>Runs SQL as the superuser, without the proxy.</summary>
    internal Task ExecuteAsync(string sql) => Journal.ExecuteAsync(sql);

    /// <summary>Ends sessions of the reader.</summary>
    /// <returns>The number of them.</returns>
    internal async Task<long> TerminateAsync(int most = 1_000)
    {
        await using var connection = await Journal.ConnectAsync();
        return await TerminateAsync(connection, most);
    }

    /// <inheritdoc cref="TerminateAsync(int)"/>
    internal static Task<long> TerminateAsync(DbConnection connection, int most = 1_000) => CallAsync(connection, "pg_terminate_backend", most);

    /// <summary>Cancels statements of the reader.</summary>
    /// <returns>The number of them.</returns>
    internal async Task<long> CancelAsync()
    {
        await using var connection = await Journal.ConnectAsync();
        return await CallAsync(connection, "pg_cancel_backend", 2, "AND state = 'active'");
    }

    /// <summary>Compares the queries with the written events. At no time may more statements have run than there are permits.</summary>
    internal async Task EndAsync()
    {
        await Run.EndAsync();
        _output.WriteLine($"At most {_watch.Most} statements in {_watch.Samples} samples.");
        // One statement is that of the tail.
        Assert.InRange(_watch.Most, 1, Permits + 1 + _lostBeside);
    }

    public async ValueTask DisposeAsync()
    {
        await Run.DisposeAsync();
        await _watch.DisposeAsync();
        await Journal.DisposeAsync();
        await Proxy.DisposeAsync();
        _pooler?.Dispose();
        Server.Dispose();
    }

    private static Task<long> CallAsync(DbConnection connection, string function, int most, string which = "") => connection.ScalarAsync<long>(
        $"""
        SELECT count({function}(pid)) FROM (
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = '{PostgreSqlJournalUnderTest.ReaderName}' {which}
            ORDER BY random() LIMIT {most}) AS victims
        """);

    internal static string Rights(string verb, string preposition) => $"{verb} SELECT ON ALL TABLES IN SCHEMA public {preposition} {PostgreSqlServer.Reader}";
}
