namespace Throttled.Databases.Tests.Contract;

/// <summary>The common part of the contracts: a host, and its journals, which are deleted with the test.</summary>
public abstract class JournalContract(IJournalHost host, ITestOutputHelper output) : IAsyncLifetime
{
    private readonly List<JournalUnderTest> _journals = [];

    protected IJournalHost Host => host;

    protected ITestOutputHelper Output => output;

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        foreach (var journal in _journals)
            await journal.DisposeAsync();
    }

    protected async Task<JournalUnderTest> NewJournalAsync(JournalTables? tables = null) =>
        Keep(await host.NewJournalAsync(tables));

    /// <summary>A journal of the default layout.</summary>
    protected Task<JournalUnderTest> NewJournalAsync(TagMode tags) => NewJournalAsync(Layouts.Named("default", tags));

    protected async Task<JournalUnderTest> NewAbsentJournalAsync(TagMode tags = TagMode.Csv) =>
        Keep(await host.NewAbsentJournalAsync(Layouts.Named("default", tags)));

    private JournalUnderTest Keep(JournalUnderTest journal)
    {
        _journals.Add(journal);
        return journal;
    }
}
