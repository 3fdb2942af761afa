using Microsoft.Extensions.Logging;

namespace Throttled.Journal.Diagnostics;

/// <summary>Logs, and does not let a logger that throws end the queries.</summary>
/// <param name="log">Where to.</param>
/// <param name="prefix">What each message begins with.</param>
/// <param name="named">Puts the user's names of settings in a message.</param>
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

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        try
        {
            log.Log(logLevel, eventId, state, exception, (each, error) => prefix + named(formatter(each, error)));
        }
        catch (Exception)
        {
            // There is nobody left to tell.
        }
    }
}
