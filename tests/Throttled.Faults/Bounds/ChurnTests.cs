using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Bounds;

/// <summary>Queries of all kinds that are opened, left at any moment and opened again leave nothing behind.</summary>
[Collection(AloneCollection.Name)]
public sealed class ChurnTests(PostgreSqlHost postgreSql, SqliteHost sqlite, ITestOutputHelper output)
{
    [PostgreSqlFact]
    public Task Thousands_of_queries_that_open_and_end_leave_nothing_behind_on_PostgreSql() => RunAsync(postgreSql, Quick);

    [Fact]
    public Task Thousands_of_queries_that_open_and_end_leave_nothing_behind_on_Sqlite() => RunAsync(sqlite, Quick);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task A_million_queries_that_open_and_end_leave_nothing_behind_on_PostgreSql() => RunAsync(postgreSql, Full);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_million_queries_that_open_and_end_leave_nothing_behind_on_Sqlite() => RunAsync(sqlite, Full);

    private static ChurnSize Quick => new(Places: 500, Rounds: 8);

    private static ChurnSize Full => new(LongShare.Of(100_000), Rounds: 36);

    private async Task RunAsync(IJournalHost host, ChurnSize size)
    {
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
