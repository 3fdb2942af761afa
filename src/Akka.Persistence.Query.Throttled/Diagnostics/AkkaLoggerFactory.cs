using Akka.Event;
using Microsoft.Extensions.Logging;
using AkkaLevel = Akka.Event.LogLevel;
using Level = Microsoft.Extensions.Logging.LogLevel;

namespace Akka.Persistence.Query.Throttled.Diagnostics;

/// <summary>Passes the engine's log messages to the actor system's log, with the message's id before each.</summary>
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
        // The text of a warning contains the cause; an operator has no use for the driver's stack trace.
        var cause = logLevel is Level.Information or Level.Warning ? null : exception;
        var message = formatter(state, exception);
        // docs/operating/log.md says for each id what to do.
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
