using BankAccounts.History;
using BankAccounts.Settings;

namespace BankAccounts.Replay;

/// <summary>What is replayed, and in which ways.</summary>
internal sealed record ReplaySettings
{
    /// <summary>Where the read models of replays are on PostgreSQL.</summary>
    internal const string Schema = "bank_replay";

    public required BankSettings Bank { get; init; }

    public required HistoryShape Shape { get; init; }

    /// <summary>Events of the row with a transaction for each; those with a statement for each have ten times as many.</summary>
    public int Part { get; init; } = 20_000;

    /// <summary>Lanes of the rows that have several.</summary>
    public int Lanes { get; init; } = 8;

    /// <summary>The batches of the merging rows, beside those of 500.</summary>
    public IReadOnlyList<int> Batches { get; init; } = [2_000, 10_000, 50_000];

    /// <summary>How often merging rows and their floors are measured, in turn; the median counts.</summary>
    public int Rounds { get; init; } = 3;

    /// <summary>Whether the result is printed as one JSON object, and nothing else.</summary>
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
/// <param name="Name">As the table has it: what it adds to the row above.</param>
/// <param name="Batch">Events in a transaction at most.</param>
/// <param name="Lanes">Lanes that work at once.</param>
/// <param name="IsMerged">Whether a batch is folded to a row for each account; otherwise there is a statement for each event.</param>
/// <param name="Shape">What is replayed.</param>
internal sealed record ReplayRow(string Name, int Batch, int Lanes, bool IsMerged, HistoryShape Shape);
