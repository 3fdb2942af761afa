namespace Throttled.Simulation;

/// <summary>A reader, and what it must have been given.</summary>
internal interface ISimulatedReader
{
    /// <summary>Whether it reads nothing for now.</summary>
    bool IsAsleep { get; set; }

    /// <summary>Whether it has asked for anything.</summary>
    bool HasBegun { get; }

    /// <summary>Whether the journal was rewound under it: it has to end, whatever it was given.</summary>
    bool IsRewound { get; set; }

    /// <summary>Whether the engine was disposed of under it: it has to end, whatever it was given.</summary>
    bool IsOrphan { get; set; }

    /// <summary>The bytes that are kept for it, in its page and beside it.</summary>
    long BytesHeld { get; }

    /// <summary>Whether it is in a page that counts for nobody.</summary>
    bool HoldsUncounted { get; }

    /// <summary>Whether its page was forgotten while it was in it.</summary>
    bool HasLostPage { get; }

    /// <summary>Where it stands, for the count of what occurs.</summary>
    string Standing { get; }

    bool HasEnded { get; }

    bool IsClosed { get; }

    /// <summary>Takes one item, or asks for it, or learns the end.</summary>
    /// <returns>Whether that got it any further.</returns>
    bool Step();

    void Cancel();

    void Close();

    /// <summary>Whether it has all that it will get, and has ended if it is to end.</summary>
    bool IsSatisfied();

    /// <summary>Checks what must hold at any time: that it does not fail where it may not.</summary>
    void Check();

    /// <summary>Checks that what the tail brought it has found room beside the page that it is in.</summary>
    /// <param name="mostRows">How many rows both may have.</param>
    void CheckRoom(int mostRows);

    /// <summary>Checks a reader that has all that it will get.</summary>
    void CheckAtEnd();
}
