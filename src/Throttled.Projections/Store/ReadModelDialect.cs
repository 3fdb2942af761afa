using Throttled.Projections.Merging;

namespace Throttled.Projections.Store;

/// <summary>How a read model's database spells and does things. No connection, no state.</summary>
internal abstract class ReadModelDialect
{
    /// <summary>The database's name as OpenTelemetry spells it: <c>sqlite</c>, <c>postgresql</c>.</summary>
    internal abstract string System { get; }

    /// <summary>How merged rows are written.</summary>
    internal abstract MergeWriter Merging { get; }
}
