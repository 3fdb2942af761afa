namespace Throttled.Journal.Tail;

/// <summary>A feed that follows the tail, and its neighbours among those of the same key.</summary>
internal interface IFollower<T>
    where T : class
{
    /// <summary>What it follows.</summary>
    string Key { get; }

    /// <summary>The neighbour behind it; the index's own.</summary>
    T? Next { get; set; }

    /// <summary>The neighbour before it; the index's own.</summary>
    T? Previous { get; set; }

    /// <summary>Whether it is on the list of those who are told when the rows of a round are there; the round's own.</summary>
    bool IsInRound { get; set; }

    /// <summary>All rows of the round that could be had were offered.</summary>
    void RoundEnded();
}
