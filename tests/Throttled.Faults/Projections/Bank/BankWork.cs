using System.Text.Json;
using BankAccounts.Domain;
using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>How a bank's handler writes.</summary>
internal enum Writing
{
    /// <summary>A batch's events of an account make one row, and all rows are written together.</summary>
    Merged,

    /// <summary>A statement for each event.</summary>
    Plain,

    /// <summary>Each event alone and outside of the transactions, into a log.</summary>
    Single,
}

/// <summary>What a process that runs a bank's projection is told.</summary>
internal sealed record BankWork
{
    internal const string Projection = "bank";

    public required BankPlace Place { get; init; }

    public Writing Writing { get; init; }

    /// <summary>Its name among those that compete; one that was killed takes its own lanes back at once.</summary>
    public string Process { get; init; } = "first";

    public int Lanes { get; init; } = 8;

    public int Batch { get; init; } = 50;

    public bool Parks { get; init; }

    /// <summary>From when on the handler takes poison: when there is such a file. Null for always.</summary>
    public string? MendedFile { get; init; }

    /// <summary>
    /// Once it has been given so many events, the process goes no further than to the end of a transaction of its, which stays open; it says so, and
    /// waits to be killed. Null for never.
    /// </summary>
    public int? HoldAfter { get; init; }

    internal ProjectionOptions Options => new()
    {
        Name = Projection,
        ProcessName = Process,
        Lanes = Lanes,
        BatchSize = Batch,
        BatchAge = TimeSpan.FromMilliseconds(20),
        LeaseDuration = TimeSpan.FromSeconds(1),
        MaxAttempts = 1,
        OnFailure = Parks ? FailurePolicy.DeadLetter : FailurePolicy.Stop,
        Decoder = AccountFormat.ForProjection().Decode,
    };

    internal bool Takes(AccountCredited credit) => !credit.IsPoison || MendedFile is null || File.Exists(MendedFile);

    internal string Write() => JsonSerializer.Serialize(this);

    internal static BankWork Read(string text) => JsonSerializer.Deserialize<BankWork>(text)!;
}
