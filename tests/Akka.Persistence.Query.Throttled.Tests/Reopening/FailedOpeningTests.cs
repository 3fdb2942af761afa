using Akka.Actor;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Tests.Settings;
using Throttled.Testing;

namespace Akka.Persistence.Query.Throttled.Tests.Reopening;

public sealed class FailedOpeningTests
{
    [Fact]
    public async Task A_journal_that_could_not_be_opened_keeps_no_system_from_its_end()
    {
        var system = new ConfiguredSystem($"{Hocon.Journal()}\nakka.coordinated-shutdown.run-by-actor-system-terminate = off");
        var settings = system.Read();
        var time = new TimersUntilThrottled((ExtendedActorSystem)system.System);
        var unusable = settings with { Options = settings.Options with { TimeProvider = time } };
        Assert.Throws<NotSupportedException>(
            () => JournalOpening.Open((ExtendedActorSystem)system.System, [unusable], NoLogger.Instance));
        // The actor has started, or has already stopped.
        await time.Throttler!.Ask<ActorIdentity>(new Identify(0)).WithinAsync("the throttler");
        await system.System.Terminate().WithinAsync("the end of the system");
    }

    /// <summary>Makes the engine's constructor fail after its throttler has started.</summary>
    private sealed class TimersUntilThrottled(ExtendedActorSystem system) : TimeProvider
    {
        internal IActorRef? Throttler { get; private set; }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Throttler = ((ActorRefWithCell)system.SystemGuardian).Children
                .FirstOrDefault(child => child.Path.Name.StartsWith("query-throttler-", StringComparison.Ordinal));
            return Throttler is null ? base.CreateTimer(callback, state, dueTime, period) : throw new NotSupportedException();
        }
    }
}
