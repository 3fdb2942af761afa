using Spectre.Console;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Show;

/// <summary>A progress bar on the terminal. It disappears when the work has ended.</summary>
internal sealed class Bar
{
    private readonly ProgressTask _task;

    private Bar(ProgressTask task) => _task = task;

    internal static Task RunAsync(Func<Bar, Task> work) => AnsiConsole.Progress()
        .AutoClear(true)
        .HideCompleted(false)
        .Columns(new ProgressBarColumn(), new PercentageColumn(), new TaskDescriptionColumn { Alignment = Justify.Left })
        .StartAsync(context => work(new(context.AddTask("…", maxValue: 1))));

    /// <summary>Prints a line of the log. On a terminal, the bar must print it.</summary>
    internal static void WriteLine(string line)
    {
        if (Console.IsOutputRedirected || Console.IsErrorRedirected)
            Console.Error.WriteLine(line);
        else
            AnsiConsole.WriteLine(line);
    }

    /// <param name="all">The end; null if it is not known.</param>
    internal void Show(string name, long done, long? all, double rate)
    {
        var end = Math.Max(1, all ?? 1);
        (_task.MaxValue, _task.Value) = (end, Math.Min(done, end));
        _task.IsIndeterminate = all is null;
        _task.Description = Markup.Escape(all is null && done == 0 ? name : $"{name}: {Pace.Text(done, all, rate)}");
    }
}
