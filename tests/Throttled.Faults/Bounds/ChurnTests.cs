using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Bounds;

/// <summary>Queries of all kinds that are opened, left at any moment and opened again leave nothing behind.</summary>
[Collection(AloneCollection.Name)]
public sealed class ChurnTests(PostgreSqlHost postgreSql, SqliteHost sqlite, ITestOutputHelper output)
{
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task A_million_queries_that_open_and_end_leave_nothing_behind_on_PostgreSql() => RunAsync(postgreSql);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_million_queries_that_open_and_end_leave_nothing_behind_on_Sqlite() => RunAsync(sqlite);

    private async Task RunAsync(IJournalHost host)
    {
        var size = new ChurnSize(LongShare.Of(100_000), Rounds: 36);
        var seed = Environment.GetEnvironmentVariable("THROTTLED_SEED") is { } given ? int.Parse(given) : Random.Shared.Next();
        output.WriteLine($"Seed {seed}: {size}.");
        await using var journal = await host.NewJournalAsync();
        await using var run = await ChurnMeasure.OpenAsync(journal, size, seed);

        try
        {
            await run.RunAsync();
        }
        finally
        {
            foreach (var figure in run.Figures)
                output.WriteLine(figure);
        }
    }
}
