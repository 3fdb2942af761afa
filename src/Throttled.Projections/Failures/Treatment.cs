namespace Throttled.Projections.Failures;

/// <summary>What is done with a range of a batch.</summary>
internal enum Treatment
{
    /// <summary>The handler gets it.</summary>
    Handle,

    /// <summary>It is passed over.</summary>
    Skip,

    /// <summary>It becomes a dead letter.</summary>
    Park,
}
