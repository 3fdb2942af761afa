using Akka.Event;
using Akka.Persistence.Query.Throttled.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Tests.Diagnostics;

/// <summary>The log messages of the plugin itself.</summary>
public sealed class PluginLogTests
{
    private static readonly JournalEvent Row = new() { PersistenceId = "a", SequenceNumber = 2, Payload = default, SerializerId = 7, Manifest = "some" };

    [Fact]
    public void The_reason_of_a_skipped_event_is_one_line_and_its_stack_trace_is_logged_at_Debug()
    {
        var error = new FormatException("Unexpected end.\r\n  Line 1.\n");
        var log = new RecordedLog(LogLevel.DebugLevel);
        log.Skipped("Event 2 of 'a' (ordering 9)", Row, error);
        Assert.Equal(
            [
                (LogLevel.WarningLevel, "Event 2 of 'a' (ordering 9) was skipped, because it cannot be decoded; more events of its kind (serializer id 7, "
                    + "manifest \"some\") will be skipped without a log message. Unexpected end. Line 1.", null),
                (LogLevel.DebugLevel, "Event 2 of 'a' (ordering 9) cannot be decoded.", error),
            ],
            log.Entries);
    }
}
