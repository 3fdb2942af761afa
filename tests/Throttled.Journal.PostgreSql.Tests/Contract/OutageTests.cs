using System.Data.Common;
using Npgsql;
using Throttled.Journal.Contract;
using Xunit.Abstractions;

namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>What goes wrong on a server that runs, and passes, costs no query and no event.</summary>
[Collection(ServerCollection.Name)]
public sealed class OutageTests(PostgreSqlHost host, ITestOutputHelper output)
{
    private const int Events = 40;
    private static readonly string[] Ids = TestEvents.Ids("id", 500);

    [PostgreSqlFact]
    public async Task Sessions_that_are_terminated_cost_no_query_and_no_event()
    {
        await using var journal = await NewJournalAsync();
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 4, MaxConcurrentQueries = 4 }));
        await using var crowd = new Crowd(reader, Ids);
        await using var killer = await journal.ConnectAsync();
        var (killed, next) = (0, Events + 1);

        // Some while catching up, some while following; each time when there is somebody to kill.
        for (var round = 0; round < 15; round++)
        {
            await Wait.UntilAsync(async () => (killed += await TerminateAsync(killer)) > round, () => "a session to terminate");
            if (round % 3 == 2)
            {
                await journal.AppendAsync([.. TestEvents.OfEach(Ids, next++, 1)]);
                await crowd.UntilAsync(Ids.Length * (next - 1));
            }
        }

        await crowd.UntilAsync(Ids.Length * (next - 1));
        await meter.UntilFollowingAsync(Ids.Length);
        output.WriteLine($"{killed} sessions terminated; {meter}");
    }

    [PostgreSqlTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Statements_that_time_out_on_a_locked_table_are_tried_until_they_succeed(bool isFollowing)
    {
        await using var journal = await NewJournalAsync();
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(
            new() { StatementTimeout = TimeSpan.FromSeconds(1), MaxBufferSize = 10, MaxConcurrentQueries = 4 }));
        await using var first = new Crowd(reader, isFollowing ? Ids : Ids[..1]);
        await meter.UntilFollowingAsync(isFollowing ? Ids.Length : 1);
        await using var transaction = await journal.BeginAsync();
        await transaction.RunAsync($"LOCK TABLE {journal.Table} IN ACCESS EXCLUSIVE MODE");

        await using var second = new Crowd(reader, Ids);
        await meter.MoreAsync(8, "page");
        Assert.Equal(0, second.Events);
        await transaction.InsertAsync(TestEvents.OfEach(Ids, Events + 1, 1));
        await transaction.CommitAsync();

        await second.UntilAsync(Ids.Length * (Events + 1));
        await first.UntilAsync((isFollowing ? Ids.Length : 1) * (Events + 1));
    }

    [PostgreSqlTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_permission_that_is_revoked_and_given_back_costs_no_query_and_no_event(bool isFollowing)
    {
        await using var journal = await NewJournalAsync();
        await GrantAsync(journal, "GRANT");
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 10, MaxConcurrentQueries = 2 }));
        await using var crowd = new Crowd(reader, Ids);
        await crowd.UntilAsync(isFollowing ? Ids.Length * Events : 1);
        if (isFollowing)
            await meter.UntilFollowingAsync(Ids.Length);

        await GrantAsync(journal, "REVOKE");
        // Whoever catches up meets it in a page and then in probes; whoever follows, in the tail, which tries by itself.
        await meter.MoreAsync(3, "keys", "probe");
        await crowd.CheckAsync();
        await journal.AppendAsync([.. TestEvents.OfEach(Ids, Events + 1, 1)]);
        await GrantAsync(journal, "GRANT");

        await crowd.UntilAsync(Ids.Length * (Events + 1));
    }

    [PostgreSqlFact]
    public async Task A_permission_that_was_never_there_fails_at_once_and_says_what_failed()
    {
        await using var journal = await NewJournalAsync();
        await GrantAsync(journal, "REVOKE");

        var error = await Assert.ThrowsAsync<JournalException>(() => journal.OpenReader().EventsByPersistenceId("id-0").AllAsync());

        Assert.Contains("permission denied", error.Message, StringComparison.Ordinal);
    }

    [PostgreSqlTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_server_without_a_connection_left_costs_no_query_and_no_event(bool isFollowing)
    {
        using var server = PostgreSqlServer.Start(maxConnections: 16);
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        await journal.AppendAsync([.. TestEvents.OfEach(Ids, 1, Events)]);
        await GrantAsync(journal, "GRANT");
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 4, MaxConcurrentQueries = 4 }));
        await using var crowd = new Crowd(reader, Ids);
        await crowd.UntilAsync(isFollowing ? Ids.Length * Events : 1);
        if (isFollowing)
            await meter.UntilFollowingAsync(Ids.Length);

        await using var killer = await journal.ConnectAsync();
        var others = await FillAsync(journal, killer);
        await meter.MoreAsync(3, "probe");
        await crowd.CheckAsync();
        await journal.AppendAsync([.. TestEvents.OfEach(Ids, Events + 1, 1)]);
        foreach (var other in others)
            await other.DisposeAsync();

        await crowd.UntilAsync(Ids.Length * (Events + 1));
    }

    private async Task<PostgreSqlJournalUnderTest> NewJournalAsync()
    {
        var journal = (PostgreSqlJournalUnderTest)await host.NewJournalAsync();
        await journal.AppendAsync([.. TestEvents.OfEach(Ids, 1, Events)]);
        return journal;
    }

    private static async Task<int> TerminateAsync(DbConnection killer) => (int)await killer.ScalarAsync<long>(
        $"""
        SELECT count(pg_terminate_backend(pid)) FROM (
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = '{PostgreSqlJournalUnderTest.ReaderName}'
            ORDER BY random() LIMIT 2) AS victims
        """);

    // Others take all connections, those of the reader too.
    private static async Task<List<DbConnection>> FillAsync(PostgreSqlJournalUnderTest journal, DbConnection killer)
    {
        List<DbConnection> others = [];
        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    others.Add(await journal.ConnectAsync());
                    return false;
                }
                catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.TooManyConnections)
                {
                    return await TerminateAsync(killer) == 0;
                }
            },
            () => "all connections taken");
        return others;
    }

    // A role that is no superuser, and whose connections are not the reserved ones.
    private static async Task GrantAsync(PostgreSqlJournalUnderTest journal, string verb)
    {
        await journal.ExecuteAsync(
            $"""
            DO $$ BEGIN CREATE ROLE journal_reader LOGIN PASSWORD 'reader'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
            {verb} SELECT ON ALL TABLES IN SCHEMA public {(verb == "GRANT" ? "TO" : "FROM")} journal_reader
            """);
        journal.ReaderConnectionString = new NpgsqlConnectionStringBuilder(journal.ReaderConnectionString)
        {
            Username = "journal_reader",
            Password = "reader",
        }.ConnectionString;
    }
}
