namespace BankAccounts.History;

/// <summary>The size and content of a history of accounts. The same shape gives the same events.</summary>
internal sealed record HistoryShape
{
    /// <summary>The number of events, openings included.</summary>
    public required int Events { get; init; }

    /// <summary>The number of accounts. All are opened before anything else happens.</summary>
    public required int Accounts { get; init; }

    /// <summary>The seed of the random history.</summary>
    public int Seed { get; init; } = 1;

    /// <summary>The share of events on which handlers fail until they run with <c>--mended</c>, from 0 to 1.</summary>
    public double Poison { get; init; }

    /// <summary>The share of accounts that are closed later, from 0 to 1.</summary>
    public double Closed { get; init; } = 0.02;

    /// <summary>The same shape in another size, with as many events per account.</summary>
    internal HistoryShape Part(int events) =>
        events >= Events ? this : this with { Events = events, Accounts = Math.Max(1, (int)((long)Accounts * events / Events)) };
}
