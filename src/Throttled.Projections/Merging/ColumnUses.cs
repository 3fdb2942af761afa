namespace Throttled.Projections.Merging;

/// <summary>What can be done with values of a type on all databases alike.</summary>
[Flags]
internal enum ColumnUses
{
    None = 0,

    /// <summary>Equal in the database exactly where they are equal here.</summary>
    Key = 1,

    /// <summary>Can be added.</summary>
    Sum = 2,

    /// <summary>Has an order that no collation decides.</summary>
    Order = 4,
}
