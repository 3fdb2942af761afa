using Spectre.Console;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Show;

/// <summary>A bar on the terminal, which is gone when what it shows has ended.</summary>
internal sealed class Bar
{
    private readonly ProgressTask _task;

    private Bar(ProgressTask task) => _task = task;

    internal static Task RunAsync(Func<Bar, Task> work) => AnsiConsole.Progress()
        .AutoClear(true)
        .HideCompleted(false)
        .Columns(new ProgressBarColumn(), new PercentageColumn(), new TaskDescriptionColumn { Alignment = Justify.Left })
        .StartAsync(context => work(new(context.AddTask("…", maxValue: 1))));

    /// <summary>A line of the log. On a terminal, it must be told to the bar.</summary>
    internal static void WriteLine(string line)
    {
        if (Console.IsOutputRedirected || Console.IsErrorRedirected)
            Console.Error.WriteLine(line);
        else
            AnsiConsole.WriteLine(line);
    }

    /// <param name="name">What it is.</param>
    /// <param name="done">How far it is.</param>
    /// <param name="all">Where the end is; null where that is not known.</param>
    /// <param name="rate">Events per second.</param>
    internal void Show(string name, long done, long? all, double rate)
    {
        var end = Math.Max(1, all ?? 1);
        (_task.MaxValue, _task.Value) = (end, Math.Min(done, end));
        _task.IsIndeterminate = all is null;
        _task.Description = Markup.Escape(all is null && done == 0 ? name : $"{name}: {Pace.Text(done, all, rate)}");
    }
}
