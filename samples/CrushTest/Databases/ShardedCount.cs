namespace CrushTest.Databases;

/// <summary>The counts of all databases that show their statements.</summary>
internal sealed class ShardedCount(IReadOnlyList<IStatementCount> counts) : IStatementCount
{
    /// <summary>The most of each, added: they need not have been at the same moment.</summary>
    public int Most => counts.Sum(count => count.Most);

    public string View => counts[0].View;

    public async ValueTask DisposeAsync()
    {
        foreach (var count in counts)
            await count.DisposeAsync();
    }
}
