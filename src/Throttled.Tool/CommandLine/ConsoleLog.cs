using Microsoft.Extensions.Logging;

namespace Throttled.Tool.CommandLine;

/// <summary>
/// Passes the log of the engine and of projections on, a line for each message, without messages of the ids <paramref name="except"/>. Thread-safe if
/// <paramref name="write"/> is.
/// </summary>
internal sealed class ConsoleLog(Action<string> write, params int[] except) : ILoggerFactory, ILogger
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
        if (IsEnabled(logLevel) && !except.Contains(eventId.Id))
            write($"{Name(logLevel)}: {Printable.OfLine(formatter(state, exception).ReplaceLineEndings(" "))}");
    }

    private static string Name(LogLevel level) => level switch
    {
        LogLevel.Information => "note",
        LogLevel.Warning => "warning",
        _ => "error",
    };
}
