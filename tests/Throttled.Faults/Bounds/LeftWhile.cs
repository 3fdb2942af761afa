namespace Throttled.Faults.Bounds;

/// <summary>The state of a query when its reader leaves.</summary>
public enum LeftWhile
{
    /// <summary>It was opened, and no item was requested.</summary>
    Opened,

    /// <summary>It waits in the queue, because others use all permits.</summary>
    Queued,

    /// <summary>It has its permit, and its statement waits for a connection.</summary>
    Connecting,

    /// <summary>Its statement runs and does not end.</summary>
    Running,

    /// <summary>Its page has arrived, and no item was read.</summary>
    PageArrived,

    /// <summary>Its reader has read some of a page.</summary>
    MidPage,

    /// <summary>It waits for new events.</summary>
    Following,

    /// <summary>It followed, and its reader was too slow.</summary>
    Lagging,

    /// <summary>It waits for the journal to be available again.</summary>
    Outage,

    /// <summary>Its statement failed and will be retried.</summary>
    BackOff,
}

/// <summary>How a reader leaves.</summary>
public enum LeftBy
{
    Cancellation,
    DisposeOfEnumerator,
    DisposeOfReader,
}
