using System.Data.Common;

namespace Throttled.Projections.Merging;

/// <summary>How one database takes many rows at once. No state.</summary>
internal abstract class MergeWriter
{
    /// <exception cref="InvalidOperationException">The database cannot do it.</exception>
    internal abstract MergeStatements Spell(string table, IReadOnlyList<MergeColumn> columns);

    /// <summary>Runs a statement with the values of some rows, in their order.</summary>
    internal abstract Task RunAsync<TRow>(
        DbCommand command, IReadOnlyList<MergeColumn<TRow>> columns, TRow[] rows, CancellationToken cancellation);
}
