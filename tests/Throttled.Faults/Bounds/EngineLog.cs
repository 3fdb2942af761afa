using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Throttled.Faults.Bounds;

/// <summary>Counts the log messages of an engine by id, and keeps the first defect that the engine reports.</summary>
internal sealed class EngineLog : ILoggerFactory, ILogger
{
    private readonly ConcurrentDictionary<int, int> _counts = new();

    /// <summary>An exception on the loop (event 13); null for none.</summary>
    internal Exception? Defect { get; private set; }

    internal int CountOf(int id) => _counts.GetValueOrDefault(id);

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    public bool IsEnabled(LogLevel logLevel) => true;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (eventId.Id == 13)
            Defect ??= exception;
        _counts.AddOrUpdate(eventId.Id, 1, (_, count) => count + 1);
    }

    public void Dispose()
    {
    }
}
