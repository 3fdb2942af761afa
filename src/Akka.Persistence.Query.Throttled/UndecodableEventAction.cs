namespace Akka.Persistence.Query.Throttled;

/// <summary>What an event does that cannot be decoded, or is above <c>max-payload-bytes</c>: the values of <c>on-undecodable-event</c>.</summary>
public enum UndecodableEventAction
{
    /// <summary>It fails its query.</summary>
    Fail,

    /// <summary>It is left out, with a warning for each kind of event.</summary>
    Skip,

    /// <summary>It comes as an <see cref="UndecodableEvent"/>.</summary>
    Deliver,
}
