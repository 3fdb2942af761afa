using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

/// <summary>A row of the offset table as a lane knows it.</summary>
internal readonly record struct PositionRow(string Target, long Epoch, StoredPosition Known)
{
    /// <summary>Finds the row where it is as it is known.</summary>
    internal const string Where =
        "WHERE version = @version AND first_slice = @first AND last_slice = @last AND ordering = @known AND epoch = @epoch";

    internal (string Name, object? Value)[] Parameters =>
    [
        ("version", Target), ("first", Known.Slices.First), ("last", Known.Slices.Last), ("known", Known.Ordering), ("epoch", Epoch),
    ];

    /// <exception cref="FencedException">The row was not there.</exception>
    internal void Check(int touched)
    {
        if (touched != 1)
        {
            throw new FencedException(FormattableString.Invariant(
                $"'{Target}' is not at {Known.Ordering} in slices {Known.Slices.First}-{Known.Slices.Last} of epoch {Epoch} any more."));
        }
    }
}
