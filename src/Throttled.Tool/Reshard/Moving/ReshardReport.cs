namespace Throttled.Tool.Reshard;

/// <summary>The state of a new shard after a run.</summary>
internal enum ShardState
{
    /// <summary>This run wrote the shard, and it has the right rows.</summary>
    Written,

    /// <summary>The shard had the right rows before this run.</summary>
    Kept,

    /// <summary>The shard has not the right rows. If this run wrote it, the write was rolled back.</summary>
    Differs,
}

/// <summary>One table of one shard: the sums of the rows that it should have and of those that it has. <c>Strays</c> are rows of other shards.</summary>
internal sealed record TableOutcome(string Table, RowSum Source, RowSum Found, long Strays)
{
    /// <summary>What is wrong; null if the table is correct.</summary>
    internal string? Fault =>
        Strays > 0 ? FormattableString.Invariant($"{Strays} rows of other shards")
        : Found.Rows < Source.Rows ? FormattableString.Invariant($"{Source.Rows - Found.Rows} rows missing")
        : Found.Rows > Source.Rows ? FormattableString.Invariant($"{Found.Rows - Source.Rows} rows too many")
        : Found.Sha256 != Source.Sha256 ? "the same number of rows, but other contents" : null;
}

/// <summary>
/// One shard after the run. <c>Fault</c> is what is wrong, apart from the rows; null if nothing is. <c>IsAhead</c>: it has issued orderings that the old
/// journal never issued.
/// </summary>
internal sealed record ShardOutcome(ShardIdentity Identity, ShardState State, IReadOnlyList<TableOutcome> Tables, string? Fault, bool IsAhead);

/// <summary>The result of a run. There is a warning for each old database that had other connections at the end.</summary>
internal sealed record ReshardReport(IReadOnlyList<ShardOutcome> Shards, IReadOnlyList<string> Warnings)
{
    internal bool IsEqual => Shards.All(shard => shard.State != ShardState.Differs);
}
