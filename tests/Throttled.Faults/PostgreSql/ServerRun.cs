using System.Data.Common;
using Npgsql;
using Throttled.Faults.Fleet;
using Throttled.Faults.World;
using Throttled.Testing;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Xunit.Abstractions;

namespace Throttled.Faults.PostgreSql;

/// <summary>A run on a server of its own, over a proxy of its own, as a user who may do no more than read.</summary>
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

    /// <summary>What stands between the proxy and the server, where something does.</summary>
    internal PgBouncer Pooler => _pooler ?? throw new InvalidOperationException("The run has no pooler.");

    internal int Seed { get; }

    internal Random Random { get; }

    internal FaultRun Run { get; private set; } = null!;

    internal StatementMeter Meter => Run.Meter;

    /// <param name="output">Where tests print.</param>
    /// <param name="queries">How many.</param>
    /// <param name="fault">What it is to be struck by; it says what server and reader have to be like.</param>
    /// <param name="poolMode">How PgBouncer shares its connections; null for none before the server.</param>
    /// <param name="pause">How long writers wait between transactions; null for hardly at all.</param>
    internal static async Task<ServerRun> StartAsync(
        ITestOutputHelper output, int queries, ServerFault fault, string? poolMode = null, TimeSpan? pause = null)
    {
        var server = PostgreSqlServer.Start(fault.Connections);
        var journal = await PostgreSqlHost.CreateAsync(server);
        var pooler = poolMode is null ? null : await PgBouncer.BeforeAsync(journal.ReaderConnectionString, poolMode);
        var proxy = FaultProxy.Before(pooler?.ConnectionString ?? journal.ReaderConnectionString);
        journal.ReaderConnectionString = new NpgsqlConnectionStringBuilder(proxy.ConnectionString)
        {
            // Of a connection: the reader waits 10 s by default.
            Timeout = 2,
        }.ConnectionString;
        var run = new ServerRun(server, journal, pooler, proxy, output);
        var plan = new FaultPlan(poolMode is null ? "PostgreSQL" : $"PostgreSQL, PgBouncer by {poolMode}", queries);
        plan = plan with { Pause = pause ?? plan.Pause, Options = plan.Options with { StatementTimeout = fault.Timeout, MaxConcurrentQueries = Permits } };
        run.Run = await FaultRun.StartAsync(journal, plan, output);
        return run;
    }

    /// <summary>Breaks something and mends it.</summary>
    internal Task StrikeAsync(ServerFault fault)
    {
        _lostBeside = Math.Max(_lostBeside, fault.LostBeside);
        return Run.StrikeAsync(fault.Name, () => fault.Strike(this), () => fault.Cure(this));
    }

    /// <summary>Once while the queries catch up, and once while they follow.</summary>
    internal async Task StrikeTwiceAsync(ServerFault fault)
    {
        await Run.UntilCatchingUpAsync();
        await StrikeAsync(fault);
        await StrikeAsync(fault);
    }

    /// <summary>Runs SQL as the superuser, past the proxy.</summary>
    internal Task ExecuteAsync(string sql) => Journal.ExecuteAsync(sql);

    /// <summary>Ends sessions of the reader.</summary>
    /// <returns>How many there were.</returns>
    internal async Task<long> TerminateAsync(int most = 1_000)
    {
        await using var connection = await Journal.ConnectAsync();
        return await TerminateAsync(connection, most);
    }

    /// <inheritdoc cref="TerminateAsync(int)"/>
    internal static Task<long> TerminateAsync(DbConnection connection, int most = 1_000) => CallAsync(connection, "pg_terminate_backend", most);

    /// <summary>Cancels statements of the reader.</summary>
    /// <returns>How many there were.</returns>
    internal async Task<long> CancelAsync()
    {
        await using var connection = await Journal.ConnectAsync();
        return await CallAsync(connection, "pg_cancel_backend", 2, "AND state = 'active'");
    }

    /// <summary>Compares with what was written; and no more statements may have run at any time than there are permits.</summary>
    internal async Task EndAsync()
    {
        await Run.EndAsync();
        _output.WriteLine($"At most {_watch.Most} statements in {_watch.Samples} looks.");
        // One is the tail's.
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
