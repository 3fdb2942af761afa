using Akka.Event;
using Microsoft.Extensions.Logging;
using AkkaLevel = Akka.Event.LogLevel;
using Level = Microsoft.Extensions.Logging.LogLevel;

namespace Akka.Persistence.Query.Throttled.Diagnostics;

/// <summary>Passes what the engine logs to the actor system's log, with the message's id before it.</summary>
/// <param name="log">The actor system's log.</param>
internal sealed class AkkaLoggerFactory(ILoggingAdapter log) : ILoggerFactory, ILogger
{
    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException("The actor system decides where it logs.");

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(Level logLevel) => logLevel != Level.None && log.IsEnabled(LevelOf(logLevel));

    public void Log<TState>(
        Level logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel))
            return;
        // What a warning warns of is in its sentence; the stack of a driver beneath it tells an operator nothing.
        var cause = logLevel is Level.Information or Level.Warning ? null : exception;
        var message = formatter(state, exception);
        // docs/operating/log.md says by the id what to do.
        log.Log(LevelOf(logLevel), cause, "{0}", eventId.Id == 0 ? message : FormattableString.Invariant($"[{eventId.Id}] {message}"));
    }

    public void Dispose()
    {
    }

    private static AkkaLevel LevelOf(Level level) => level switch
    {
        Level.Trace or Level.Debug => AkkaLevel.DebugLevel,
        Level.Information => AkkaLevel.InfoLevel,
        Level.Warning => AkkaLevel.WarningLevel,
        _ => AkkaLevel.ErrorLevel,
    };
}
