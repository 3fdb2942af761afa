using Microsoft.Extensions.Logging;

namespace CrushTest.Engine;

/// <summary>Collects the engine's log messages at Warning or above. Thread-safe.</summary>
internal sealed class EngineLog : ILoggerFactory, ILogger
{
    private readonly Lock _lock = new();
    private readonly SortedDictionary<int, string> _warnings = [];

    /// <summary>The first warning of each kind.</summary>
    internal string[] Warnings()
    {
        lock (_lock)
            return [.. _warnings.Values];
    }

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel))
            return;
        lock (_lock)
            _warnings.TryAdd(eventId.Id, formatter(state, exception));
    }
}
