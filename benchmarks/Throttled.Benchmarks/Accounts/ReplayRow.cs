using BankAccounts.History;

namespace Throttled.Benchmarks.Accounts;

/// <summary>One way to replay.</summary>
/// <param name="Name">As the table has it: what it adds to the row above.</param>
/// <param name="IsMerged">Whether a batch is folded to a row for each account; otherwise there is a statement for each event.</param>
internal sealed record ReplayRow(string Name, int Batch, int Lanes, bool IsMerged, HistoryShape Shape)
{
    // Events of the row with a transaction for each; those with a statement for each have ten times as many.
    private const int Part = 20_000;
    private const int Some = 8;

    /// <summary>The rows, slowest first.</summary>
    internal static IEnumerable<ReplayRow> All(HistoryShape shape)
    {
        var (part, more) = (shape.Part(Part), shape.Part(10 * Part));
        yield return new("one event per transaction", 1, 1, IsMerged: false, part);
        yield return new("batches of 500", 500, 1, IsMerged: false, more);
        yield return new($"+ {Some} lanes", 500, Some, IsMerged: false, more);
        yield return new("+ merged writes", 500, Some, IsMerged: true, shape);
        foreach (var batch in (int[])[2_000, 10_000, 50_000])
            yield return new($"+ batches of {batch:N0}", batch, Some, IsMerged: true, shape);
    }
}
