using Microsoft.Extensions.Logging;

namespace CrushTest.Engine;

/// <summary>Listens to the engine's log: how many statements the database lets run at once, and what it warns of. Thread-safe.</summary>
internal sealed class EngineLog : ILoggerFactory, ILogger
{
    private const int Clamped = 4;

    private readonly Lock _lock = new();
    private readonly SortedDictionary<int, string> _warnings = [];
    private int? _ceiling;

    /// <summary>The permits that the engine came down to when it had asked the database; null where it kept what is configured.</summary>
    internal int? Ceiling
    {
        get
        {
            lock (_lock)
                return _ceiling;
        }
    }

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

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        lock (_lock)
        {
            if (eventId.Id == Clamped && state is IReadOnlyList<KeyValuePair<string, object?>> values)
                _ceiling = values.FirstOrDefault(value => value.Key == "Permits").Value as int?;
            if (logLevel >= LogLevel.Warning)
                _warnings.TryAdd(eventId.Id, formatter(state, exception));
        }
    }
}
