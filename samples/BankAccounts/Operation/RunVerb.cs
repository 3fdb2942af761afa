using System.CommandLine;
using BankAccounts.Databases;
using BankAccounts.Domain;
using BankAccounts.Handlers;
using BankAccounts.Settings;
using BankAccounts.Show;
using Throttled.Journal;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Operation;

/// <summary>Runs the projection.</summary>
internal static class RunVerb
{
    // Time for the batch in hand; past it, it is rolled back.
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(20);

    private static readonly Dictionary<string, FailurePolicy> Policies = new()
    {
        ["stop"] = FailurePolicy.Stop,
        ["skip"] = FailurePolicy.Skip,
        ["dead-letter"] = FailurePolicy.DeadLetter,
    };

    private static readonly Option<string?> Process = new("--process")
    {
        Description = "What this process is called among those that share the lanes; made up where it is left out",
        HelpName = "NAME",
    };

    private static readonly Option<int> Lanes = NumberOption.Create("--lanes", 8, (1, 1_024), "Lanes over all processes, when the projection is new; the verb lanes changes them");
    private static readonly Option<int> Batch = NumberOption.Create("--batch", 500, (1, 100_000), "Events in a transaction at most");
    private static readonly Option<int> Lease = NumberOption.Create("--lease", 10, (1, 3_600), "Seconds after which others take over the lanes of a process that died");

    private static readonly Option<string> OnFailure = new("--on-failure")
    {
        Description = "What becomes of an event that fails: stop, skip or dead-letter",
        HelpName = "POLICY",
        DefaultValueFactory = _ => "dead-letter",
    };

    private static readonly Option<bool> Mended = new("--mended") { Description = "Take the events, too, that write --poison made" };
    private static readonly Option<bool> UntilCaughtUp = new("--until-caught-up") { Description = "End when the read model has caught up with the journal" };

    internal static Command Create() => Verb.Create(
        "run", "Runs the projection until Ctrl+C; the batch in hand is finished. Several may run at once.",
        [Process, Lanes, Batch, Lease, OnFailure, Mended, UntilCaughtUp], RunAsync);

    private static async Task<int> RunAsync(VerbCall call)
    {
        var options = Options(call);
        await call.Database.CreateAsync(call.Cancellation);
        using var log = new ConsoleLog(Bar.WriteLine);
        await using var journal = call.Database.OpenReader(new JournalOptions { Tables = BankTables.Own, LoggerFactory = log });
        var handler = new AccountHandler(call.Settings.Name, call.Database.Sql, isMended: call.Parsed.GetValue(Mended));
        await using var projection = new Projection(journal, call.Database.ReadModel, handler, options with { LoggerFactory = log });
        projection.Start();
        await WatchAsync(call, projection);
        using var abort = new CancellationTokenSource(Grace);
        await projection.StopAsync(abort.Token);
        return 0;
    }

    private static async Task WatchAsync(VerbCall call, Projection projection)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(call.Cancellation);
        var watching = new RunView(call.Control, call.Settings.Name).RunAsync(call.Parsed.GetValue(UntilCaughtUp), end.Token);
        await Task.WhenAny(projection.Completion, watching);
        await end.CancelAsync();
        await watching;
        if (projection.Completion.IsCompleted)
            await projection.Completion;
    }

    private static ProjectionOptions Options(VerbCall call)
    {
        var policy = call.Parsed.GetValue(OnFailure)!;
        return new()
        {
            Name = call.Settings.Name,
            ProcessName = call.Parsed.GetValue(Process),
            Lanes = call.Parsed.GetValue(Lanes),
            BatchSize = call.Parsed.GetValue(Batch),
            LeaseDuration = TimeSpan.FromSeconds(call.Parsed.GetValue(Lease)),
            // What fails here does so for good.
            MaxAttempts = 2,
            OnFailure = Policies.TryGetValue(policy, out var found)
                ? found
                : throw new CommandException($"--on-failure is '{policy}'; it must be stop, skip or dead-letter. Leave it out for dead-letter."),
            Decoder = AccountFormat.ForProjection().Decode,
        };
    }
}
