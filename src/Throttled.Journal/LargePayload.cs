namespace Throttled.Journal;

/// <summary>What queries do about an event whose payload is above <see cref="JournalOptions.MaxPayloadBytes"/>. It is never read.</summary>
public enum LargePayload
{
    /// <summary>The query that wants the event fails with <see cref="JournalException"/>, after all that comes before it.</summary>
    Fail,

    /// <summary>The event is left out. The log warns of the first.</summary>
    Skip,

    /// <summary>The event comes with an empty payload; <see cref="JournalEvent.OmittedPayloadBytes"/> says how long it was.</summary>
    Deliver,
}
