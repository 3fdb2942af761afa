using Akka.Event;

namespace Akka.Persistence.Query.Throttled.Tests.Diagnostics;

/// <summary>A log that the test reads.</summary>
/// <param name="least">The lowest level that is logged.</param>
internal sealed class RecordedLog(LogLevel least) : LoggingAdapterBase(DefaultLogMessageFormatter.Instance)
{
    internal List<(LogLevel Level, string Message, Exception? Cause)> Entries { get; } = [];

    public override bool IsDebugEnabled => least <= LogLevel.DebugLevel;

    public override bool IsErrorEnabled => least <= LogLevel.ErrorLevel;

    public override bool IsInfoEnabled => least <= LogLevel.InfoLevel;

    public override bool IsWarningEnabled => least <= LogLevel.WarningLevel;

    protected override void NotifyLog(LogLevel logLevel, object message, Exception? cause = null) =>
        Entries.Add((logLevel, message.ToString()!, cause));
}
