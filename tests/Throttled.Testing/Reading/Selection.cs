namespace Throttled.Testing;

/// <summary>The events that a query in journal order selects.</summary>
public enum Selection
{
    /// <summary>All events.</summary>
    All,

    /// <summary>The events with the tag <see cref="Selections.Tag"/>.</summary>
    Tag,

    /// <summary>The events whose persistence ids are in the slices up to <see cref="Selections.LastSlice"/>.</summary>
    Slices,
}
