using Microsoft.Extensions.Logging;

namespace Tail.Show;

/// <summary>What the engine says, on standard error. Thread-safe.</summary>
internal sealed class EngineLog : ILoggerFactory, ILogger
{
    // That the journal went back: docs/operating/runbook.md. The error at the end says it again, and what to do.
    private const int Rewound = 18;

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
        if (IsEnabled(logLevel) && eventId.Id != Rewound)
            Console.Error.WriteLine($"{Name(logLevel)}: {Printable.OfLine(formatter(state, exception).ReplaceLineEndings(" "))}");
    }

    private static string Name(LogLevel level) => level switch
    {
        LogLevel.Information => "note",
        LogLevel.Warning => "warning",
        _ => "error",
    };
}
