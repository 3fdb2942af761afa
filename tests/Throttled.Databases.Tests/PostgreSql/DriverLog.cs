using Microsoft.Extensions.Logging;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>Collects the log lines of the driver.</summary>
internal sealed class DriverLog : ILoggerFactory, ILogger
{
    private readonly Lock _lock = new();
    private readonly List<string> _lines = [];

    internal string[] Lines
    {
        get
        {
            lock (_lock)
                return [.. _lines];
        }
    }

    /// <summary>Called with each line. The driver waits until it returns.</summary>
    internal Action<string> Logged { get; init; } = _ => { };

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    public bool IsEnabled(LogLevel logLevel) => true;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        var line = formatter(state, exception);
        lock (_lock)
            _lines.Add(line);
        Logged(line);
    }

    public void Dispose()
    {
    }
}
