namespace Throttled.Projections.Merging;

/// <summary>What a change does to a column of a row that is there already.</summary>
internal enum MergeRule
{
    /// <summary>Finds the row.</summary>
    Key,

    /// <summary>Takes the place of what is there.</summary>
    Set,

    /// <summary>Takes its place unless it is null.</summary>
    SetUnlessNull,

    /// <summary>Is added to it; null is 0, here and there.</summary>
    Add,

    /// <summary>Takes its place where it is larger; null is smaller than all.</summary>
    Max,

    /// <summary>Takes its place where it is smaller; null is larger than all.</summary>
    Min,
}
