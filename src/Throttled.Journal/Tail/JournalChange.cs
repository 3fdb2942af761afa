namespace Throttled.Journal.Tail;

/// <summary>What a poll of the tail's position says about the journal.</summary>
internal enum JournalChange
{
    /// <summary>It is the one that was seen before.</summary>
    None,

    /// <summary>Its newest rows are gone, and another poll has to find out how many.</summary>
    ToBeFound,

    /// <summary>Its newest row is gone on a server that was not there before, and another poll has to find out whether it was deleted or lost.</summary>
    ToBeExplained,

    /// <summary>The tail was rewound to the newest row that is still there.</summary>
    SteppedBack,

    /// <summary>It is not the journal any more that was seen before.</summary>
    Rewound,
}
