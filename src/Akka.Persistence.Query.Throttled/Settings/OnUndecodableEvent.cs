namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>What an event does that cannot be decoded.</summary>
internal enum OnUndecodableEvent
{
    /// <summary>It fails its query.</summary>
    Fail,

    /// <summary>It is left out.</summary>
    Skip,

    /// <summary>It comes as an <see cref="UndecodableEvent"/>.</summary>
    Deliver,
}
