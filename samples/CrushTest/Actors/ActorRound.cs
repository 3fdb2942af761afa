using Akka;
using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Query;
using Akka.Persistence.Query.Throttled;
using Akka.Persistence.Sql.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;

namespace CrushTest.Actors;

/// <summary>Actors that each have a stream or a subscription. A round has its own actor system, and one materializer for all streams.</summary>
internal sealed class ActorRound : Round
{
    private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly SortedDictionary<string, string> _warnings = [];
    private readonly ActorSystem _system;
    private readonly Action<int, IActorRef> _startQuery;
    private readonly int _streams;
    private int _started;

    private ActorRound(
        (CrushSettings Settings, CrushJournal Journal, Config Config) under, string[] ids, int first, Action<int, long> late, Opening open)
        : base(under.Settings, under.Journal, new(ids, under.Settings.Events, late, first))
    {
        _streams = ids.Length;
        _system = ActorSystem.Create("crush", under.Config);
        _system.ActorOf(Props.Create<WarningList>(_warnings), "warnings");
        _startQuery = open(_system);
    }

    /// <summary>Makes the function that starts the query of each actor.</summary>
    private delegate Action<int, IActorRef> Opening(ActorSystem system);

    /// <summary>The mailbox of the actors.</summary>
    private Deploy Deployed { get; init; } = Deploy.Local;

    protected override int Started => Volatile.Read(ref _started);

    /// <summary>Live queries of this plugin, as streams.</summary>
    internal static ActorRound Plugin(CrushSettings settings, CrushJournal journal, string[] ids, Action<int, long> late, int first = 1) =>
        new((settings, journal, ActorConfig.Plugin(settings, journal)), ids, first, late, system => Streams(system, ById(JournalOf(system), ids, first)));

    /// <summary>Live queries of this plugin, as subscriptions. A page can wait in the mailbox while the next one is read. The mailboxes are compact.</summary>
    internal static ActorRound Subscriptions(CrushSettings settings, CrushJournal journal, string[] ids, Action<int, long> late, int first = 1) =>
        new((settings, journal, ActorConfig.Plugin(settings, journal)), ids, first, late, system =>
        {
            var read = JournalOf(system);
            var query = ById(read, ids, first);
            return (index, actor) => read.Subscribe(query(index), actor, 2L * settings.Page);
        }) { Deployed = Deploy.Local.WithMailbox(Subscription.CompactMailbox) };

    /// <summary>Live queries of Akka.Persistence.Sql.</summary>
    internal static ActorRound Existing(CrushSettings settings, CrushJournal journal, string[] ids, Config config) =>
        new((settings, journal, config), ids, 1, static (_, _) => { }, system =>
            Streams(system, ById(PersistenceQuery.Get(system).ReadJournalFor<SqlReadJournal>(SqlReadJournal.Identifier), ids, 1)));

    /// <summary>Streams of the same number of events, without a journal.</summary>
    internal static ActorRound Empty(CrushSettings settings, CrushJournal journal, int streams, int first = 1)
    {
        var envelopes = CountingStage.Envelopes(settings.Events)[(first - 1)..];
        string[] ids = [.. Enumerable.Repeat(CountingStage.Id, streams)];
        return new((settings, journal, ActorConfig.Quiet), ids, first, static (_, _) => { }, system => Streams(system, _ => Source.FromGraph(new CountingStage(envelopes))));
    }

    internal override string[] Warnings()
    {
        lock (_warnings)
            return [.. _warnings.Values];
    }

    protected override Task Start(CancellationToken cancellation)
    {
        var tracker = _system.ActorOf(Props.Create<Tracker>(_streams, _end), "tracker");
        var parts = new QueryParts(_startQuery, Tally, tracker);
        for (var i = 0; i < _streams && !cancellation.IsCancellationRequested; i++)
        {
            _system.ActorOf(Props.Create<QueryActor>(i, parts).WithDeploy(Deployed));
            Volatile.Write(ref _started, i + 1);
        }
        return _end.Task;
    }

    protected override Task EndAsync() => _system.Terminate();

    private static ThrottledReadJournal JournalOf(ActorSystem system) =>
        PersistenceQuery.Get(system).ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);

    private static Action<int, IActorRef> Streams(ActorSystem system, Func<int, Source<EventEnvelope, NotUsed>> source)
    {
        var materializer = system.Materializer();
        return (index, actor) => source(index)
            .To(Sink.ActorRef<EventEnvelope>(actor, Done.Instance, static error => new Status.Failure(error)))
            .Run(materializer);
    }

    private static Func<int, Source<EventEnvelope, NotUsed>> ById(IEventsByPersistenceIdQuery journal, string[] ids, int first) =>
        index => journal.EventsByPersistenceId(ids[index], first, long.MaxValue);

    /// <summary>Collects warnings and errors in the actor system's log, the first of each source.</summary>
    private sealed class WarningList(SortedDictionary<string, string> warnings) : UntypedActor
    {
        protected override void PreStart()
        {
            Context.System.EventStream.Subscribe(Self, typeof(Warning));
            Context.System.EventStream.Subscribe(Self, typeof(Error));
        }

        protected override void OnReceive(object message)
        {
            if (message is not LogEvent logged)
                return;
            lock (warnings)
                warnings.TryAdd(logged.LogSource, $"{logged.Message}");
        }
    }
}
