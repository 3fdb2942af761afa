namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>A fault from the beginning is reported at once. Throttled.Faults has faults that come later and pass.</summary>
[Collection(ServerCollection.Name)]
public sealed class OutageTests(PostgreSqlHost host)
{
    [PostgreSqlFact]
    public async Task A_missing_permission_fails_at_once_and_is_named()
    {
        await using var journal = (PostgreSqlJournalUnderTest)await host.NewJournalAsync();
        await journal.ExecuteAsync("CREATE ROLE outsider LOGIN PASSWORD 'outsider'");
        journal.ReaderConnectionString += ";Username=outsider;Password=outsider";

        var error = await Assert.ThrowsAsync<JournalException>(() => journal.OpenReader().EventsByPersistenceId("id-0").AllAsync());

        Assert.Contains("permission denied", error.Message, StringComparison.Ordinal);
    }
}
