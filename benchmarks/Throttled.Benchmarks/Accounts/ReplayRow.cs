using BankAccounts.History;

namespace Throttled.Benchmarks.Accounts;

/// <summary>One way to replay.</summary>
/// <param name="Name">
/// The name in the table. A plus says what the row adds to the row before it. A comma is in the names of rows that only compare another way of writing;
/// they are no such step.
/// </param>
/// <param name="Writer">How the handler writes.</param>
internal sealed record ReplayRow(string Name, int Batch, int Lanes, ReplayWriter Writer, HistoryShape Shape)
{
    /// <summary>The usual number of events. A run with more is the rebuild of a large read model; it has only the rows with large batches.</summary>
    internal const int Usual = 1_000_000;

    // Events of the row with a transaction for each; those with a statement for each have ten times as many.
    private const int Part = 20_000;
    private const int Some = 8;

    /// <summary>Whether a batch is folded to a row for each account.</summary>
    internal bool IsMerged => Writer == ReplayWriter.MergedWrites;

    /// <summary>The rows of the table, in their order.</summary>
    internal static IEnumerable<ReplayRow> All(HistoryShape shape)
    {
        var isLarge = shape.Events > Usual;
        foreach (var row in isLarge ? [] : Small(shape))
            yield return row;
        foreach (var batch in (int[])[10_000, 50_000])
            yield return new($"{(isLarge ? "merged writes, " : "+ ")}batches of {batch:N0}", batch, Some, ReplayWriter.MergedWrites, shape);
    }

    // Rows with a statement for each event replay a part, because they are slow.
    private static IEnumerable<ReplayRow> Small(HistoryShape shape)
    {
        var (part, more) = (shape.Part(Part), shape.Part(10 * Part));
        yield return new("one event per transaction", 1, 1, ReplayWriter.Statements, part);
        yield return new("batches of 500", 500, 1, ReplayWriter.Statements, more);
        yield return new("batches of 500, BatchHandler", 500, 1, ReplayWriter.Loop, more);
        yield return new($"+ {Some} lanes", 500, Some, ReplayWriter.Statements, more);
        yield return new($"{Some} lanes, linq2db", 500, Some, ReplayWriter.Linq2Db, more);
        yield return new($"{Some} lanes, EF Core", 500, Some, ReplayWriter.EfCore, more);
        yield return new("+ merged writes", 500, Some, ReplayWriter.MergedWrites, shape);
        yield return new($"+ batches of {2_000:N0}", 2_000, Some, ReplayWriter.MergedWrites, shape);
    }
}

/// <summary>How a handler writes a batch.</summary>
internal enum ReplayWriter
{
    /// <summary>A statement for each event.</summary>
    Statements,

    /// <summary>The same, in a loop over the batch.</summary>
    Loop,

    /// <summary>A statement for each event by linq2db.</summary>
    Linq2Db,

    /// <summary>Tracked entities, saved once a batch.</summary>
    EfCore,

    /// <summary>A row for each account, all in one statement.</summary>
    MergedWrites,
}
