using Microsoft.Data.Sqlite;
using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>Pages of the file are damaged. Queries that read one fail with the reason; all others get all events.</summary>
public sealed class DamageTests(ITestOutputHelper output)
{
    /// <summary>The kind of damage.</summary>
    public enum Damage
    {
        /// <summary>A column of one id's rows has an invalid value.</summary>
        Value,

        /// <summary>A page of rows is full of zeros.</summary>
        Rows,

        /// <summary>An overflow page of a large row has an invalid next page.</summary>
        Overflow,
    }

    [Theory]
    [InlineData(Damage.Value)]
    [InlineData(Damage.Rows)]
    [InlineData(Damage.Overflow)]
    public Task Only_the_queries_that_meet_the_damage_fail(Damage damage) => RunAsync(200, damage);

    [Theory]
    [InlineData(Damage.Value)]
    [InlineData(Damage.Rows)]
    [InlineData(Damage.Overflow)]
    [Trait("Category", "Long")]
    public Task Of_very_many_only_the_queries_that_meet_the_damage_fail(Damage damage) => RunAsync(LongShare.Of(20_000), damage);

    private async Task RunAsync(int queries, Damage damage)
    {
        using var host = new SqliteHost();
        await using var journal = (SqliteJournalUnderTest)await host.NewJournalAsync();
        var ids = TestEvents.Ids("id", queries);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 5), PageDamage.Large("culprit"), .. TestEvents.OfEach(ids, 6, 5)]);
        await journal.CloseAppenderAsync();
        await DoAsync(damage, journal);
        var culprits = await CulpritsAsync(journal, [.. ids, "culprit"], damage);
        Assert.InRange(culprits.Count, 1, 100);

        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 4 }));
        await using var failing = new Failures(reader, culprits);
        string[] others = [.. ids.Where(id => !culprits.Contains(id))];
        await using var crowd = new Crowd(reader, others);
        await crowd.UntilAsync(others.Length * 10);
        await failing.AllFailAsync();
        await meter.UntilFollowingAsync(others.Length);
        await journal.AppendAsync([.. TestEvents.OfEach(others, 11, 1)]);
        var expected = others.Length * 11L;
        await crowd.UntilAsync(expected);
        FaultTable.Add(
            output, $"damaged page ({damage})", "SQLite", "catching up", queries + 1, others.Length, Math.Max(0, expected - crowd.Events), Math.Max(0, crowd.Events - expected),
            $"{culprits.Count} (all that read it)", "-", "-");
    }

    private static Task DoAsync(Damage damage, SqliteJournalUnderTest journal) => damage switch
    {
        Damage.Value => journal.PoisonAsync("culprit"),
        Damage.Rows => PageDamage.ZeroAsync(journal.File, "id-77/3"),
        _ => PageDamage.CutAsync(journal.File),
    };

    /// <summary>The ids whose rows SQLite itself cannot read.</summary>
    private static async Task<List<string>> CulpritsAsync(JournalUnderTest journal, string[] ids, Damage damage)
    {
        if (damage == Damage.Value)
            return ["culprit"];
        List<string> culprits = [];
        await using var connection = await journal.ConnectAsync();
        foreach (var id in ids)
        {
            try
            {
                await connection.ScalarAsync<long>($"SELECT sum(length(CAST(message AS TEXT))) FROM journal WHERE persistence_id = '{id}'");
            }
            catch (SqliteException error) when (error.SqliteErrorCode == SQLitePCL.raw.SQLITE_CORRUPT)
            {
                culprits.Add(id);
            }
        }
        return culprits;
    }
}
