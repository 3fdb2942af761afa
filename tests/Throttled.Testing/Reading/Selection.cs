namespace Throttled.Testing;

/// <summary>What a query in journal order selects.</summary>
public enum Selection
{
    /// <summary>All events.</summary>
    All,

    /// <summary>Those with the tag <see cref="Selections.Tag"/>.</summary>
    Tag,

    /// <summary>Those whose persistence ids are in the slices up to <see cref="Selections.LastSlice"/>.</summary>
    Slices,
}
