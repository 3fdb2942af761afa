namespace Throttled.Simulation;

/// <summary>A reader, and the items that it must have got.</summary>
internal interface ISimulatedReader
{
    /// <summary>Whether it is paused.</summary>
    bool IsPaused { get; set; }

    /// <summary>Whether it has requested anything.</summary>
    bool HasBegun { get; }

    /// <summary>Whether the journal was rewound while it ran. Then it must end, whatever it got.</summary>
    bool IsRewound { get; set; }

    /// <summary>Whether the engine was disposed while it ran. Then it must end, whatever it got.</summary>
    bool IsOrphan { get; set; }

    /// <summary>The bytes of its page and of the events that wait beside it.</summary>
    long BytesHeld { get; }

    /// <summary>Whether it reads a page whose bytes are not counted.</summary>
    bool HoldsUncounted { get; }

    /// <summary>Whether its page was discarded while it read it.</summary>
    bool HasLostPage { get; }

    /// <summary>Its state, for <see cref="Coverage"/>.</summary>
    string Standing { get; }

    bool HasEnded { get; }

    bool IsClosed { get; }

    /// <summary>Takes one item, or requests a page, or learns the end.</summary>
    /// <returns>Whether anything changed.</returns>
    bool Step();

    void Cancel();

    void Close();

    /// <summary>Whether it has got all its items, and has ended if it must end.</summary>
    bool IsSatisfied();

    /// <summary>Checks that it has failed only if it may.</summary>
    void Check();

    /// <summary>Checks that events from the tail fit beside its page.</summary>
    /// <param name="mostRows">The limit of rows for both together.</param>
    void CheckRoom(int mostRows);

    /// <summary>Checks a reader that has got all its items.</summary>
    void CheckAtEnd();
}
