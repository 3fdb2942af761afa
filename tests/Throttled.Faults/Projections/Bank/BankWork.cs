using System.Text.Json;
using BankAccounts.Domain;
using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>How the handler of a bank writes.</summary>
internal enum Writing
{
    /// <summary>The events of an account in a batch make one row, and all rows are written together.</summary>
    Merged,

    /// <summary>A statement for each event.</summary>
    Plain,

    /// <summary>Each event alone and outside of the transactions, into a log.</summary>
    Single,
}

/// <summary>The settings of a process that runs a bank's projection.</summary>
internal sealed record BankWork
{
    internal const string Projection = "bank";

    public required BankPlace Place { get; init; }

    public Writing Writing { get; init; }

    /// <summary>Its name among competing processes. After a kill, a process with the same name gets its lanes back at once.</summary>
    public string Process { get; init; } = "first";

    public int Lanes { get; init; } = 8;

    public int Batch { get; init; } = 50;

    public bool StoresDeadLetters { get; init; }

    /// <summary>The handler accepts poison as soon as this file exists. Null for always.</summary>
    public string? RepairedFile { get; init; }

    /// <summary>
    /// After this number of events, the process stops before the commit of a transaction, which stays open. It prints a line and waits to be
    /// killed. Null for never.
    /// </summary>
    public int? PauseAfter { get; init; }

    internal ProjectionOptions Options => new()
    {
        Name = Projection,
        ProcessName = Process,
        Lanes = Lanes,
        BatchSize = Batch,
        BatchAge = TimeSpan.FromMilliseconds(20),
        LeaseDuration = TimeSpan.FromSeconds(1),
        MaxAttempts = 1,
        OnFailure = StoresDeadLetters ? FailurePolicy.DeadLetter : FailurePolicy.Stop,
        Decoder = AccountFormat.ForProjection().Decode,
    };

    internal bool Takes(AccountCredited credit) => !credit.IsPoison || RepairedFile is null || File.Exists(RepairedFile);

    internal string Write() => JsonSerializer.Serialize(this);

    internal static BankWork Read(string text) => JsonSerializer.Deserialize<BankWork>(text)!;
}
