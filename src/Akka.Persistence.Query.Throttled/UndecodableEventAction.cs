namespace Akka.Persistence.Query.Throttled;

/// <summary>What to do with an event that cannot be decoded, or is larger than <c>max-payload-bytes</c>: the values of <c>on-undecodable-event</c>.</summary>
public enum UndecodableEventAction
{
    /// <summary>Fail the query.</summary>
    Fail,

    /// <summary>Skip the event, with a warning for each kind of event.</summary>
    Skip,

    /// <summary>Deliver an <see cref="UndecodableEvent"/> instead.</summary>
    Deliver,
}
