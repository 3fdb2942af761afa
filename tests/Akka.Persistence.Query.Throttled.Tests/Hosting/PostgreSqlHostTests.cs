using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Npgsql;
using Throttled.Testing;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

[Collection(OnPostgreSql.Name)]
public sealed class PostgreSqlHostTests(PostgreSqlFixture fixture)
{
    [PostgreSqlFact]
    public async Task A_live_query_delivers_what_is_there_and_what_comes()
    {
        await using var journal = await TestJournal.InPostgreSqlAsync(fixture.Server);
        await journal.AppendAsync("a");
        await using var app = await TestApp.StartAsync(builder => builder.WithThrottledReadJournal(journal.ConnectionString, "PostgreSQL.15"));
        var first = app.FirstAsync(app.Journal().EventsByTag("red", NoOffset.Instance), 1);
        var both = app.FirstAsync(app.Journal().EventsByTag("red", NoOffset.Instance), 2);
        await first;
        await journal.AppendAsync("b");
        Assert.Equal(["a", "b"], (await both).Select(each => each.PersistenceId));
    }

    [PostgreSqlFact]
    public async Task Journals_side_by_side_read_from_data_sources_of_their_own()
    {
        await using var one = await TestJournal.InPostgreSqlAsync(fixture.Server);
        await using var other = await TestJournal.InPostgreSqlAsync(fixture.Server);
        await one.AppendAsync("of-one");
        await other.AppendAsync("of-other");
        await using var oneSource = NpgsqlDataSource.Create(one.ConnectionString);
        await using var otherSource = NpgsqlDataSource.Create(other.ConnectionString);
        await using (var app = await TestApp.StartAsync(builder => builder
            .WithThrottledReadJournal(oneSource)
            .WithThrottledReadJournal(otherSource, options => options.Identifier = "orders")))
        {
            Assert.Equal("of-one", (await app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 1))[0].PersistenceId);
            Assert.Equal("of-other", (await app.FirstAsync(app.Journal("orders").AllEvents(NoOffset.Instance), 1))[0].PersistenceId);
        }
        // It is the application's to dispose.
        await using var connection = await oneSource.OpenConnectionAsync();
    }
}
