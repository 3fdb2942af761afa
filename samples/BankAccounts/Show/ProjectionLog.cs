using Microsoft.Extensions.Logging;
using Spectre.Console;

namespace BankAccounts.Show;

/// <summary>What the projection and the engine say, on standard error. Thread-safe.</summary>
internal sealed class ProjectionLog : ILoggerFactory, ILogger
{
    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    public bool IsEnabled(LogLevel logLevel) => logLevel is >= LogLevel.Information and < LogLevel.None;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel))
            return;
        var line = $"{Name(logLevel)}: {formatter(state, exception).ReplaceLineEndings(" ")}";
        // A bar on the terminal must be told of lines between.
        if (Console.IsOutputRedirected || Console.IsErrorRedirected)
            Console.Error.WriteLine(line);
        else
            AnsiConsole.WriteLine(line);
    }

    private static string Name(LogLevel level) => level switch
    {
        LogLevel.Information => "note",
        LogLevel.Warning => "warning",
        _ => "error",
    };
}
