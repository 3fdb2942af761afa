using Throttled.Journal;

namespace Throttled.Reshard;

/// <summary>What became of a shard.</summary>
internal enum ShardState
{
    /// <summary>It was written now, and has what it should.</summary>
    Written,

    /// <summary>It had what it should before.</summary>
    Kept,

    /// <summary>It has not what it should; where it was written now, that was rolled back.</summary>
    Differs,
}

/// <summary>One table of one shard.</summary>
/// <param name="Table">Its name.</param>
/// <param name="Source">What the rows are that it should have.</param>
/// <param name="Found">What the rows are that it has.</param>
/// <param name="Strays">How many of these belong to another shard.</param>
internal sealed record TableOutcome(string Table, RowSum Source, RowSum Found, long Strays)
{
    /// <summary>What is wrong; null where nothing is.</summary>
    internal string? Fault =>
        Strays > 0 ? FormattableString.Invariant($"{Strays} rows of other shards")
        : Found.Rows < Source.Rows ? FormattableString.Invariant($"{Source.Rows - Found.Rows} rows missing")
        : Found.Rows > Source.Rows ? FormattableString.Invariant($"{Found.Rows - Source.Rows} rows too many")
        : Found.Sha256 != Source.Sha256 ? "as many rows, but others" : null;
}

/// <summary>One shard.</summary>
/// <param name="Identity">Which it is.</param>
/// <param name="State">What became of it.</param>
/// <param name="Tables">What its tables have.</param>
/// <param name="Fault">What is wrong beside the rows; null where nothing is.</param>
/// <param name="IsAhead">Whether it has issued orderings that the old journal never did.</param>
internal sealed record ShardOutcome(ShardIdentity Identity, ShardState State, IReadOnlyList<TableOutcome> Tables, string? Fault, bool IsAhead);

/// <summary>What came of dividing a journal anew.</summary>
/// <param name="Shards">The new shards, in their order.</param>
/// <param name="Warnings">Who was still connected to the old databases at the end, as lines.</param>
internal sealed record ReshardReport(IReadOnlyList<ShardOutcome> Shards, IReadOnlyList<string> Warnings)
{
    internal bool IsEqual => Shards.All(shard => shard.State != ShardState.Differs);
}
