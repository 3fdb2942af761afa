using System.Data.Common;
using Akka.Actor;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Settings;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Queries;

namespace Akka.Persistence.Query.Throttled.Tests.Reopening;

public sealed class FailedOpeningTests
{
    [Fact]
    public async Task A_journal_that_could_not_be_opened_does_not_delay_the_termination()
    {
        var system = new ConfiguredSystem($"{Hocon.Journal()}\nakka.coordinated-shutdown.run-by-actor-system-terminate = off");
        var settings = system.Read();
        var time = new TimersUntilThrottled((ExtendedActorSystem)system.System);
        var unusable = settings with { Options = settings.Options with { TimeProvider = time } };
        Assert.Throws<NotSupportedException>(
            () => JournalOpening.Open((ExtendedActorSystem)system.System, [unusable], new(), NoLogger.Instance));
        // The actor has started, or it has stopped already.
        await time.Throttler!.Ask<ActorIdentity>(new Identify(0)).WithinAsync("the throttler");
        await system.System.Terminate().WithinAsync("the end of the system");
    }

    [Fact]
    public async Task A_journal_that_cannot_be_reopened_is_logged_with_the_reason()
    {
        await using var system = new ConfiguredSystem(Hocon.Journal());
        using var source = new BreakingSource();
        var settings = system.Read() with { Database = DatabaseKind.SqlServer, Given = new(source) };
        await using var journal = JournalOpening.Open((ExtendedActorSystem)system.System, [settings], new(), Logging.GetLogger(system.System, "reopening"));
        source.IsBroken = true;
        ThrottlerOf((ExtendedActorSystem)system.System)!.Tell(PoisonPill.Instance);
        await system.LogsAsync(
            $"The read journal '{ThrottledReadJournal.Identifier}' cannot be opened again: No more handles. The next query tries again, at most 60 s later.");
    }

    private static IActorRef? ThrottlerOf(ExtendedActorSystem system) => ((ActorRefWithCell)system.SystemGuardian).Children
        .FirstOrDefault(child => child.Path.Name.StartsWith("query-throttler-", StringComparison.Ordinal));

    private sealed class BreakingSource : DbDataSource
    {
        internal bool IsBroken { get; set; }

        public override string ConnectionString => "Server=nowhere";

        protected override DbConnection CreateDbConnection() =>
            IsBroken ? throw new InvalidOperationException("No more handles.") : new SqlConnection(ConnectionString);
    }

    /// <summary>Makes the constructor of the engine fail after its throttler has started.</summary>
    private sealed class TimersUntilThrottled(ExtendedActorSystem system) : TimeProvider
    {
        internal IActorRef? Throttler { get; private set; }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Throttler = ThrottlerOf(system);
            return Throttler is null ? base.CreateTimer(callback, state, dueTime, period) : throw new NotSupportedException();
        }
    }
}
