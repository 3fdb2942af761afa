using Akka.Event;
using Akka.Persistence.Query.Throttled.Diagnostics;
using Microsoft.Extensions.Logging;
using AkkaLevel = Akka.Event.LogLevel;
using Level = Microsoft.Extensions.Logging.LogLevel;

namespace Akka.Persistence.Query.Throttled.Tests.Diagnostics;

/// <summary>The engine logs through the log of the actor system.</summary>
public sealed class AkkaLoggerFactoryTests
{
    private static readonly InvalidOperationException Failure = new("An error of the driver.");

    private readonly RecordedLog _log = new(AkkaLevel.DebugLevel);

    [Theory]
    [InlineData(Level.Trace, AkkaLevel.DebugLevel)]
    [InlineData(Level.Debug, AkkaLevel.DebugLevel)]
    [InlineData(Level.Information, AkkaLevel.InfoLevel)]
    [InlineData(Level.Warning, AkkaLevel.WarningLevel)]
    [InlineData(Level.Error, AkkaLevel.ErrorLevel)]
    [InlineData(Level.Critical, AkkaLevel.ErrorLevel)]
    public void A_message_keeps_its_level(Level level, AkkaLevel expected)
    {
        Logger(_log).Log(level, "It happened.");
        Assert.Equal((expected, "It happened.", null), Assert.Single(_log.Entries));
    }

    [Fact]
    public void A_message_of_level_None_is_not_logged()
    {
        Assert.False(Logger(_log).IsEnabled(Level.None));
        Logger(_log).Log(Level.None, "It happened.");
        Assert.Empty(_log.Entries);
    }

    [Fact]
    public void A_message_below_the_log_level_of_the_actor_system_is_not_formatted()
    {
        var log = new RecordedLog(AkkaLevel.WarningLevel);
        Assert.False(Logger(log).IsEnabled(Level.Information));
        Assert.True(Logger(log).IsEnabled(Level.Warning));
        Logger(log).Log<object?>(Level.Information, 1, null, null, (_, _) => throw new InvalidOperationException("Written."));
        Assert.Empty(log.Entries);
    }

    [Fact]
    public void A_message_begins_with_its_event_id()
    {
        Logger(_log).Log(Level.Warning, new EventId(15, "Stalled"), "The high-water mark is stalled.");
        Assert.Equal("[15] The high-water mark is stalled.", Assert.Single(_log.Entries).Message);
    }

    [Fact]
    public void Braces_in_a_message_are_kept()
    {
        Logger(_log).Log<object?>(Level.Warning, new EventId(3), null, null, (_, _) => "{1} is not 'Ours'.");
        Assert.Equal("[3] {1} is not 'Ours'.", Assert.Single(_log.Entries).Message);
    }

    [Theory]
    [InlineData(Level.Debug, true)]
    [InlineData(Level.Information, false)]
    [InlineData(Level.Warning, false)]
    [InlineData(Level.Error, true)]
    [InlineData(Level.Critical, true)]
    public void A_stack_trace_is_logged_only_for_debugging(Level level, bool isThere)
    {
        Logger(_log).Log(level, Failure, "It failed.");
        Assert.Same(isThere ? Failure : null, Assert.Single(_log.Entries).Cause);
    }

    private static ILogger Logger(ILoggingAdapter log) => new AkkaLoggerFactory(log).CreateLogger("any");
}
