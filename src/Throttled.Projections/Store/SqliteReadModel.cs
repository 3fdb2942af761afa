using Throttled.Projections.Merging;

namespace Throttled.Projections.Store;

/// <summary>SQLite.</summary>
internal sealed class SqliteReadModel : ReadModelDialect
{
    internal override string System => "sqlite";

    internal override MergeWriter Merging => RowMerge.Instance;
}
