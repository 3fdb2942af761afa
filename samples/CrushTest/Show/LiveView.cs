using System.Diagnostics;
using Spectre.Console;

namespace CrushTest.Show;

/// <summary>For a terminal: updates the running phase's figures several times a second, and keeps a line for each phase that has ended.</summary>
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

    public void Show(CrushReport report) => ReportTable.Write(report);

    // The second row is needed. With one row Spectre.Console sends the command to go up 0 lines, and terminals go up 1.
    private static Rows Tall(Grid row) => new(row, Text.Empty);

    private static Grid Row(string name, string text) => new Grid()
        .AddColumn(new GridColumn().Width(32).NoWrap())
        .AddColumn()
        .AddRow(new Text(name, new Style(Color.Blue)), new Text(text));

    /// <summary>Reads the figures that are not 0, and how fast they grew since the last reading.</summary>
    private sealed class Rates(IReadOnlyList<Figure> figures)
    {
        private readonly long[] _last = [.. figures.Select(figure => figure.Value())];
        private readonly Stopwatch _total = Stopwatch.StartNew();
        private TimeSpan _at;

        internal string Read()
        {
            var (before, now) = (_at, _total.Elapsed);
            _at = now;
            return string.Join(" · ", figures.Select((figure, i) => Read(figure, i, now - before)).OfType<string>().Prepend($"{now.TotalSeconds:N0} s"));
        }

        private string? Read(Figure figure, int i, TimeSpan time)
        {
            var (before, value) = (_last[i], figure.Value());
            _last[i] = value;
            var rate = figure.HasRate ? $" ({(value - before) / time.TotalSeconds:N0}/s)" : "";
            return value == 0 ? null : $"{figure.Label} {value:N0}{rate}";
        }
    }
}
