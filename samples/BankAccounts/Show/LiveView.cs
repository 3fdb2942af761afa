using BankAccounts.Replay;
using Spectre.Console;

namespace BankAccounts.Show;

/// <summary>On a terminal: a bar for the phase that runs, and a line for each that has ended.</summary>
internal sealed class LiveView : IView
{
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(250);

    public async Task RunAsync(string name, long? all, Func<long> done, Func<Task<string>> work)
    {
        var outcome = "";
        await Bar.RunAsync(async bar =>
        {
            var (working, pace) = (work(), new Pace());
            while (await Task.WhenAny(working, Task.Delay(Tick)) != working)
                bar.Show(name, done(), all, pace.Look(done()));
            outcome = await working;
        });
        AnsiConsole.Write(new Grid()
            .AddColumn(new GridColumn().Width(32).NoWrap())
            .AddColumn()
            .AddRow(new Text(name, new Style(Color.Blue)), new Text(outcome)));
    }

    public void Show(ReplayReport report) => ReplayTable.Write(report);
}
