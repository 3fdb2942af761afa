using Akka.Event;
using Akka.Persistence.Query.Throttled.Diagnostics;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Tests.Diagnostics;

/// <summary>What the plugin itself says in the log.</summary>
public sealed class PluginLogTests
{
    private static readonly JournalEvent Row = new() { PersistenceId = "a", SequenceNumber = 2, Payload = default, SerializerId = 7, Manifest = "some" };

    [Fact]
    public void Why_an_event_was_skipped_is_one_line_and_its_stack_is_for_who_debugs()
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
