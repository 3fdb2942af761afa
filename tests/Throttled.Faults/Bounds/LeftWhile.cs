namespace Throttled.Faults.Bounds;

/// <summary>What a query is doing when its reader leaves.</summary>
public enum LeftWhile
{
    /// <summary>Nothing: it was opened, and nobody has asked it for anything.</summary>
    Opened,

    /// <summary>It waits in line, because others hold all permits.</summary>
    InLine,

    /// <summary>It has its permit, and its statement waits for a connection.</summary>
    Connecting,

    /// <summary>Its statement runs, and gets nowhere.</summary>
    Running,

    /// <summary>Its page is there, and nobody has looked at it.</summary>
    PageArrived,

    /// <summary>Its reader has read some of a page.</summary>
    MidPage,

    /// <summary>It waits for events to come.</summary>
    Following,

    /// <summary>It followed, and its reader was too slow.</summary>
    Lagging,

    /// <summary>It waits for the journal to come back.</summary>
    Outage,

    /// <summary>Its statement failed, and is tried again later.</summary>
    BackOff,
}

/// <summary>How a reader leaves.</summary>
public enum LeftBy
{
    Cancellation,
    DisposeOfEnumerator,
    DisposeOfReader,
}
