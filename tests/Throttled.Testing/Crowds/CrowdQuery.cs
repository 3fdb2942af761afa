namespace Throttled.Testing;

/// <summary>A query over a crowd's journal: its kind, and what it selects. All events and all ids need no argument.</summary>
internal readonly record struct CrowdQuery(CrowdKind Kind, string Argument = "")
{
    /// <summary>Queries of all kinds: one by id for each id, and some of the other kinds.</summary>
    internal static List<CrowdQuery> Mixed(IReadOnlyList<string> ids)
    {
        List<CrowdQuery> queries = [.. ids.Select(id => new CrowdQuery(CrowdKind.ById, id))];
        queries.AddRange(Enumerable.Range(0, ids.Count / 20).Select(i => new CrowdQuery(CrowdKind.Tag, $"tag-{i % LedgerWriter.Tags}")));
        queries.AddRange(Enumerable.Range(0, 16).Select(i => new CrowdQuery(CrowdKind.Slices, $"{i * Ledger.SlicesEach}")));
        for (var i = 0; i < 4; i++)
            queries.AddRange([new(CrowdKind.All), new(CrowdKind.Ids)]);
        return queries;
    }

    /// <summary>The number of ids for a mixed crowd of a size.</summary>
    internal static int IdsOf(int size) => (size - 24) * 20 / 21;
}

internal enum CrowdKind
{
    ById,
    Tag,
    Slices,
    All,
    Ids,
}
