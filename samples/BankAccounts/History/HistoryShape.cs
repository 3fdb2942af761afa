namespace BankAccounts.History;

/// <summary>What a history of accounts looks like. The same shape makes the same events.</summary>
internal sealed record HistoryShape
{
    /// <summary>Events in all, openings included.</summary>
    public required int Events { get; init; }

    /// <summary>How many accounts are opened, before anything else happens.</summary>
    public required int Accounts { get; init; }

    /// <summary>Which of all the histories of this shape.</summary>
    public int Seed { get; init; } = 1;

    /// <summary>The share of events that handlers refuse until they are mended, from 0 to 1.</summary>
    public double Poison { get; init; }

    /// <summary>The share of accounts that are closed again, from 0 to 1.</summary>
    public double Closed { get; init; } = 0.02;

    /// <summary>The same at another size: as many events for each account.</summary>
    internal HistoryShape Part(int events) =>
        events >= Events ? this : this with { Events = events, Accounts = Math.Max(1, (int)((long)Accounts * events / Events)) };
}
