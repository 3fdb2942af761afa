namespace Throttled.Tool.Reshard;

/// <summary>What the verbs print with <c>--json</c>.</summary>
internal static class ReshardJson
{
    internal static object Of(ReshardReport report, IEnumerable<string> advice) => new
    {
        report.IsEqual,
        Shards = report.Shards.Select(shard => new
        {
            shard.Identity.Shard,
            Slices = shard.Identity.Slices.ToString(),
            shard.State,
            shard.Fault,
            shard.IsAhead,
            Tables = shard.Tables.Select(each => new { each.Table, each.Source, each.Found, each.Strays, each.Fault }),
        }),
        Advice = advice,
    };

    internal static object Of(ReshardPlan plan) => new
    {
        Shards = plan.Shards.Select(shard => new
        {
            shard.Identity.Shard,
            Slices = shard.Identity.Slices.ToString(),
            shard.From,
            shard.IsWritten,
            Tables = shard.Tables.Select(each => new { each.Table, each.Rows.Rows, each.Rows.Bytes }),
        }),
        ReadSeconds = plan.Time.TotalSeconds,
        plan.Warnings,
    };
}
