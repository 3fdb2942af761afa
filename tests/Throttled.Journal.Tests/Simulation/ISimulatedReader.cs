namespace Throttled.Journal.Tests.Simulation;

/// <summary>A reader, and what it must have been given.</summary>
internal interface ISimulatedReader
{
    /// <summary>Whether it reads nothing for now.</summary>
    bool IsAsleep { get; set; }

    /// <summary>Whether it has asked for anything.</summary>
    bool HasBegun { get; }

    /// <summary>Whether the journal was rewound under it: it has to end, whatever it was given.</summary>
    bool IsRewound { get; set; }

    bool HasEnded { get; }

    bool IsClosed { get; }

    /// <summary>Takes one item, or asks for it, or learns the end.</summary>
    /// <returns>Whether that got it any further.</returns>
    bool Step();

    void Cancel();

    void Close();

    /// <summary>Whether it has all that it will get, and has ended if it is to end.</summary>
    bool IsSatisfied();

    /// <summary>Checks a reader that has all that it will get.</summary>
    void CheckAtEnd();
}
