namespace Throttled.Journal.Queries;

/// <summary>What a feed remembers beside its state, in two bytes.</summary>
[Flags]
internal enum FeedFlags : ushort
{
    None = 0,

    /// <summary>The query goes on at the end of the journal.</summary>
    Live = 1,

    /// <summary>The reader waits for an answer.</summary>
    Demanding = 2,

    /// <summary>It waits for a page, or a statement reads for it.</summary>
    AtGate = 4,

    /// <summary>A row at or past the end of its range exists: a page that starts from now on and finds no more is the last.</summary>
    EndSeen = 8,

    /// <summary>Its next page request checks for such a row.</summary>
    LooksForEnd = 16,

    /// <summary>It has checked for such a row since the tail began; the tail would notify of a later one.</summary>
    LookedForEnd = 32,

    /// <summary>The tail has noted that it has to be notified when all rows of this round are there.</summary>
    InRound = 64,

    /// <summary>Its last page ended at an ordering that is missing, and it was not known whether that is still to come.</summary>
    StopsAtGap = 128,

    /// <summary>The page that is being read for it may hold what is not there any more.</summary>
    SteppedBack = 256,
}
