using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Throttled.Testing.Scripted;

/// <summary>Records log messages.</summary>
internal sealed class RecordedLog : ILoggerFactory, ILogger
{
    private readonly ConcurrentQueue<(int Id, LogLevel Level, string Text, Exception? Error)> _entries = [];

    /// <summary>A defect that the engine found in itself; null for none.</summary>
    internal Exception? Defect { get; private set; }

    /// <summary>The ids of all messages, each once.</summary>
    internal IEnumerable<int> Ids => _entries.Select(entry => entry.Id).Distinct();

    internal int CountOf(int id) => _entries.Count(entry => entry.Id == id);

    internal List<LogLevel> LevelsOf(int id) => [.. _entries.Where(entry => entry.Id == id).Select(entry => entry.Level)];

    internal List<string> TextsOf(int id) => [.. _entries.Where(entry => entry.Id == id).Select(entry => entry.Text)];

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    public bool IsEnabled(LogLevel logLevel) => true;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (logLevel == LogLevel.Critical)
            Defect ??= exception;
        _entries.Enqueue((eventId.Id, logLevel, formatter(state, exception), exception));
    }

    public void Dispose()
    {
    }
}
