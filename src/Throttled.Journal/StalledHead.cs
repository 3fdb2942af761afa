namespace Throttled.Journal;

/// <summary>
/// What queries in journal order do about an ordering that has been missing for <see cref="JournalOptions.GapTimeout"/>, while a
/// transaction that may own it is still open.
/// </summary>
public enum StalledHead
{
    /// <summary>They wait until that transaction has ended. Nothing is ever skipped.</summary>
    Wait,

    /// <summary>They go on. If the transaction commits later, they do not see its events.</summary>
    GiveUp,
}
