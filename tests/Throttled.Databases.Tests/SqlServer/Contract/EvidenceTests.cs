using Microsoft.Data.SqlClient;
using Throttled.Journal.Database;

namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>The basis of docs/decisions/0023: its experiments 1, 2 and, except for the crash, 4.</summary>
[Collection(SnapshotCollection.Name)]
public sealed class EvidenceTests(SnapshotSqlServerHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const string NoLocks = "it has no sys.dm_tran_locks";

    private static readonly JournalOptions Patient = new() { GapTimeout = TimeSpan.FromHours(1) };

    public static TheoryData<string> Inserts => new()
    {
        "INSERT drawn (x) VALUES (1)",
        "INSERT drawn (x) SELECT n.x FROM (VALUES (1), (2), (3)) AS n (x) ORDER BY n.x",
        "INSERT drawn (x) SELECT TOP (100000) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) FROM sys.all_objects AS a CROSS JOIN (SELECT TOP (50) object_id FROM sys.all_objects) AS b ORDER BY NEWID()",
        "MERGE drawn AS t USING (VALUES (1)) AS s (x) ON 1 = 0 WHEN NOT MATCHED THEN INSERT (x) VALUES (s.x);",
    };

    [RealServerTheory(NoLocks)]
    [MemberData(nameof(Inserts))]
    public async Task An_ordering_is_drawn_after_the_lock_of_the_table(string insert)
    {
        var journal = await NewJournalAsync();
        await journal.ExecuteAsync("CREATE TABLE drawn (ordering BIGINT IDENTITY PRIMARY KEY, x INT NOT NULL); INSERT drawn (x) VALUES (0)");
        await using var blocker = await journal.BeginAsync();
        await blocker.ScalarAsync<int>("SELECT COUNT(*) FROM drawn WITH (TABLOCKX, HOLDLOCK)");
        await using var writer = await journal.ConnectAsync();

        var refused = await Assert.ThrowsAsync<SqlException>(() => writer.RunAsync($"SET LOCK_TIMEOUT 0; {insert}"));

        Assert.Equal(1222, refused.Number);
        Assert.Equal(1, await writer.ScalarAsync<decimal>("SELECT IDENT_CURRENT('drawn')"));
    }

    [RealServerFact(NoLocks)]
    public async Task A_transaction_that_has_drawn_an_ordering_is_open_until_it_ends()
    {
        var journal = await NewJournalAsync();
        await using var database = SqlServerJournal.OpenDatabase(((SqlServerJournalUnderTest)journal).ReaderConnectionString, Patient with { Tables = journal.ReadTables });
        await database.ProbeAsync(default);
        await using var open = await journal.BeginAsync();
        await open.InsertAsync(TestEvents.One("a", 1));
        var name = Assert.Single((await database.ReadStartAsync(default)).OpenTransactions!);
        Assert.Contains("by user", await database.DescribeOldestAsync(new HashSet<string> { name }, default), StringComparison.Ordinal);

        // Its other statements and the deletion of its row make no difference.
        await open.RunAsync($"SELECT COUNT(*) FROM {journal.Table}; DELETE FROM {journal.Table}");
        Assert.Equal([name], (await database.ReadStartAsync(default)).OpenTransactions!);

        await open.CommitAsync();
        Assert.Empty((await database.ReadStartAsync(default)).OpenTransactions!);
    }

    [RealServerFact(NoLocks)]
    public async Task Rolled_back_and_skipped_orderings_delay_no_query()
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 1);
        await using var live = LiveReading.Of(journal.OpenReader(Patient).AllEvents());
        await live.UntilAsync(1);
        await using (var open = await journal.BeginAsync())
            await open.InsertAsync(TestEvents.One("b", 1));
        await journal.AppendAsync("a", 2, 1);
        await live.UntilAsync(2);

        await journal.ExecuteAsync($"DBCC CHECKIDENT ({SqlServerDialect.Text(journal.Table)}, RESEED, 10003) WITH NO_INFOMSGS");
        await journal.AppendAsync("a", 3, 1);

        Assert.Equal([1, 2, 3], (await live.UntilAsync(3)).Numbers());
    }
}
