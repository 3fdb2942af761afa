using Spectre.Console;

namespace CrushTest.Show;

/// <summary>On a terminal: the figures of the phase that runs, several times a second, and a line for each that has ended.</summary>
internal sealed class LiveView : IView
{
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(250);

    public async Task RunAsync(string name, IReadOnlyList<Figure> figures, Func<Task<string>> work)
    {
        var outcome = "";
        await AnsiConsole.Live(Tall(Row(name, "…"))).AutoClear(true).StartAsync(async live =>
        {
            var working = work();
            var rates = new Rates(figures);
            while (await Task.WhenAny(working, Task.Delay(Tick)) != working)
                live.UpdateTarget(Tall(Row(name, rates.Read())));
            outcome = await working;
        });
        AnsiConsole.Write(Row(name, outcome));
    }

    public void Show(IReport report) => ReportTable.Write(report);

    // To go back over a single line Spectre.Console asks the terminal to climb 0 lines, which terminals read as 1.
    private static Rows Tall(Grid row) => new(row, Text.Empty);

    private static Grid Row(string name, string text) => new Grid()
        .AddColumn(new GridColumn().Width(28).NoWrap())
        .AddColumn()
        .AddRow(new Text(name, new Style(Color.Blue)), new Text(text));
}
