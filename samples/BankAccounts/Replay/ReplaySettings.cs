using BankAccounts.History;
using BankAccounts.Settings;

namespace BankAccounts.Replay;

/// <summary>What a replay reads, and the ways in which it is measured.</summary>
internal sealed record ReplaySettings
{
    /// <summary>The schema of the replays' read models on PostgreSQL.</summary>
    internal const string Schema = "bank_replay";

    public required BankSettings Bank { get; init; }

    public required HistoryShape Shape { get; init; }

    /// <summary>
    /// The number of events in the row with one transaction per event. The rows with one statement per event have ten times as
    /// many.
    /// </summary>
    public int Part { get; init; } = 20_000;

    /// <summary>The number of lanes in the rows that have several.</summary>
    public int Lanes { get; init; } = 8;

    /// <summary>The batch sizes of the merging rows, besides 500.</summary>
    public IReadOnlyList<int> Batches { get; init; } = [2_000, 10_000, 50_000];

    /// <summary>The number of times that merging rows and their floors are measured, in turn; the median counts.</summary>
    public int Rounds { get; init; } = 3;

    /// <summary>Whether the result is printed as one JSON object, without other output.</summary>
    public bool Json { get; init; }

    /// <summary>The rows, slowest first.</summary>
    internal IEnumerable<ReplayRow> Rows()
    {
        var (one, some) = (Shape.Part(Part), Shape.Part(10 * Part));
        yield return new("one event per transaction", 1, 1, IsMerged: false, one);
        yield return new("batches of 500", 500, 1, IsMerged: false, some);
        yield return new($"+ {Lanes} lanes", 500, Lanes, IsMerged: false, some);
        yield return new("+ merged writes", 500, Lanes, IsMerged: true, Shape);
        foreach (var batch in Batches)
            yield return new($"+ batches of {batch:N0}", batch, Lanes, IsMerged: true, Shape);
    }
}

/// <summary>One way to replay.</summary>
/// <param name="Name">The name in the table: what the row adds to the row above.</param>
/// <param name="Batch">The largest number of events in a transaction.</param>
/// <param name="Lanes">The number of lanes that run concurrently.</param>
/// <param name="IsMerged">Whether a batch is folded to one row for each account. Otherwise each event has its own statement.</param>
/// <param name="Shape">The events to replay.</param>
internal sealed record ReplayRow(string Name, int Batch, int Lanes, bool IsMerged, HistoryShape Shape);
