using Microsoft.Extensions.Logging;

namespace Throttled.Journal.Diagnostics;

/// <summary>Ignores the exceptions of a logger, because they must not end queries.</summary>
/// <param name="log">The logger.</param>
/// <param name="prefix">The beginning of each message.</param>
/// <param name="named">Replaces the names of options in a message by the names of the user's settings.</param>
internal sealed class NonThrowingLogger(ILogger log, string prefix, Func<string, string> named) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => log.BeginScope(state);

    public bool IsEnabled(LogLevel logLevel)
    {
        try
        {
            return log.IsEnabled(logLevel);
        }
        catch (Exception)
        {
            return false;
        }
    }

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        try
        {
            log.Log(logLevel, eventId, state, exception, (each, error) => prefix + named(formatter(each, error)));
        }
        catch (Exception)
        {
            // The logger failed, so the error cannot be logged.
        }
    }
}
