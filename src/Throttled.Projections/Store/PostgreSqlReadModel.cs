using Throttled.Projections.Merging;

namespace Throttled.Projections.Store;

/// <summary>PostgreSQL, by any driver that turns arrays into arrays.</summary>
internal sealed class PostgreSqlReadModel : ReadModelDialect
{
    internal override string System => "postgresql";

    internal override MergeWriter Merging => ArrayMerge.Instance;
}
