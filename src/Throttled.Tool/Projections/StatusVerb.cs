using System.CommandLine;
using BankAccounts.Show;
using Spectre.Console;
using Spectre.Console.Rendering;
using Throttled.Projections;

namespace BankAccounts.Operation;

/// <summary>Tells how the projection does.</summary>
internal static class StatusVerb
{
    private static readonly TimeSpan Look = TimeSpan.FromSeconds(1);

    private static readonly Option<bool> Watch = new("--watch") { Description = "Look again every second, until Ctrl+C" };
    private static readonly Option<bool> Json = new("--json") { Description = "Print JSON, and nothing else" };

    internal static Command Create() => Verb.Create("status", "Tells how the projection does, target by target.", [Watch, Json], RunAsync);

    private static async Task<int> RunAsync(VerbCall call)
    {
        if (call.Parsed.GetValue(Json))
            JsonView.Print(await ReadAsync(call));
        else if (call.Parsed.GetValue(Watch))
            await WatchAsync(call);
        else
            Tables.Open().Write(StatusTable.Of(await ReadAsync(call)));
        return 0;
    }

    private static Task<IReadOnlyList<ProjectionStatus>> ReadAsync(VerbCall call) => call.Control.StatusAsync(call.Settings.Name, call.Cancellation);

    private static async Task WatchAsync(VerbCall call)
    {
        try
        {
            if (Console.IsOutputRedirected)
                await RepeatAsync(call, Tables.Open().Write);
            else
                await AnsiConsole.Live(Text.Empty).StartAsync(live => RepeatAsync(call, live.UpdateTarget));
        }
        catch (OperationCanceledException) when (call.Cancellation.IsCancellationRequested)
        {
        }
    }

    private static async Task RepeatAsync(VerbCall call, Action<IRenderable> show)
    {
        while (true)
        {
            show(StatusTable.Of(await ReadAsync(call)));
            await Task.Delay(Look, call.Cancellation);
        }
    }
}
