using System.Diagnostics.CodeAnalysis;
using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Journal;
using Akka.Persistence.Query.Throttled.Diagnostics;
using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Persistence.Query.Throttled.Reopening;
using Akka.Persistence.Query.Throttled.Running;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Streams;
using Akka.Persistence.Query.Throttled.Subscriptions;
using Akka.Streams.Dsl;
using Throttled.Journal;
using Throttled.Journal.Loop;
using Throttled.Journal.Queries;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// Reads a SQL journal: any number of queries with few statements. Get it with
/// <c>system.ReadJournalFor&lt;ThrottledReadJournal&gt;(ThrottledReadJournal.Identifier)</c>; <c>reference.conf</c> describes
/// its settings. While the database is down, streams wait. A stream fails with <see cref="JournalException"/> if the database
/// refuses its query for a reason that waiting does not cure, or if the journal has to open again. It fails with
/// <see cref="JournalRewoundException"/> if the orderings went back, and with <see cref="UndecodableEventException"/> if an
/// event cannot be decoded. It fails with <see cref="JournalClosedException"/> if it still runs when the user actors of a
/// terminating system have stopped. Live queries complete in the last phase of <see cref="CoordinatedShutdown"/> in which user
/// actors run.
/// </summary>
/// <remarks>
/// Every envelope's offset is a <see cref="Sequence"/> of the event's ordering, the same in every query. In a journal of
/// several shards, envelopes of all events, by tag and by slices have a <see cref="ShardedOffset"/> instead; by persistence id,
/// the ordering is the one within the shard. If an adapter makes several events of one, their envelopes have the same offset.
/// Store the offset after the last one, or a restart loses the rest.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "Akka.NET keeps read journals as long as the actor system; JournalOpening ends the engine with it.")]
public sealed class ThrottledReadJournal :
    IEventsByPersistenceIdQuery, ICurrentEventsByPersistenceIdQuery, IEventsByTagQuery, ICurrentEventsByTagQuery,
    IAllEventsQuery, ICurrentAllEventsQuery, IPersistenceIdsQuery, ICurrentPersistenceIdsQuery
{
    /// <summary>The path of the default settings, and the id for <c>ReadJournalFor</c>.</summary>
    public const string Identifier = "akka.persistence.query.journal.throttled";

    private readonly IdDecoder _ids = new();
    // One for each shard, because each shard's write plugin may have its own adapters.
    private readonly IReadOnlyList<EventDecoder> _events;
    private readonly JournalReader _reader;
    private readonly ShardMap _map;
    private readonly SettingNames _names;
    private readonly JournalSubscriptions _subscriptions;

    private ThrottledReadJournal(IJournal journal, JournalSubscriptions subscriptions, IReadOnlyList<EventDecoder> events, SettingNames names)
    {
        _reader = new(journal, isBorrowed: true);
        _map = journal.Map ?? ShardMap.Even(1);
        _subscriptions = subscriptions;
        _events = events;
        _names = names;
    }

    /// <summary>The default settings. Akka.NET finds them by this method's name.</summary>
    public static Config DefaultConfiguration() => SettingsFile.Reference;

    /// <summary>
    /// Decodes events that were read without this journal, for example by a <see cref="JournalReader"/>, to the objects that
    /// envelopes have. Use it as <c>ProjectionOptions.Decoder</c> of <c>Throttled.Projections</c>. It uses the serializers of
    /// the actor system, then the read event adapters of the write plugin, or of the plugin of the event's shard. It opens no
    /// journal. It is thread-safe, and works as long as the actor system runs.
    /// </summary>
    /// <param name="system">The actor system; actor references in events belong to it.</param>
    /// <param name="pluginId">
    /// The path of the read journal whose <c>write-plugin</c>, <c>serializer</c> and <c>stored-as</c> are used. Without a
    /// section at the default path, their defaults are used. <c>on-undecodable-event</c> has no effect here.
    /// </param>
    /// <param name="combine">
    /// Combines several events that an adapter makes of one, in order: <c>events => events</c> gives the list. By default such
    /// an event cannot be decoded.
    /// </param>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    /// <returns>
    /// The decoder. It returns null if an adapter drops the event. It throws <see cref="UndecodableEventException"/> if the event cannot be
    /// decoded, or if its payload was not read because it is too large.
    /// </returns>
    public static Func<JournalEvent, object?> PayloadDecoder(
        ActorSystem system, string pluginId = Identifier, Func<IReadOnlyList<object>, object?>? combine = null)
    {
        ArgumentNullException.ThrowIfNull(system);
        ArgumentException.ThrowIfNullOrEmpty(pluginId);
        var extended = (ExtendedActorSystem)system;
        var (map, settings) = SettingsFile.ReadPayloads(system, pluginId);
        AdaptedDecoder[] shards = [.. settings.Select(each => new AdaptedDecoder(
            new(extended, each.Serializer, each.IsStoredAsJson), WritePluginAdapters.Of(extended, each.WritePlugin), combine))];
        return map is { Count: > 1 } ? Decode : shards[0].Decode;

        object? Decode(JournalEvent row)
        {
            ArgumentNullException.ThrowIfNull(row);
            return shards[map.ShardOf(row.PersistenceId)].Decode(row);
        }
    }

    /// <summary>
    /// The same journal for readers without actors, for example a projection. Its queries share connections, permits and
    /// settings with the streams. It works until the journal closes with its actor system; then its queries fail with
    /// <see cref="JournalClosedException"/>. Disposing it has no effect. Its events have payloads as they are stored;
    /// <see cref="PayloadDecoder"/> decodes them. A payload above <c>max-payload-bytes</c> is empty, whatever
    /// <c>on-undecodable-event</c> says: check <see cref="JournalEvent.OmittedPayloadBytes"/>. A projection checks it: the
    /// event counts as failed, unless the projection's decoder returns null for it.
    /// </summary>
    public JournalReader Reader => _reader;

    /// <summary>The engine of a journal that is not divided.</summary>
    internal JournalEngine Engine => Engines.Single();

    /// <summary>The engine of each shard; one if the journal is not divided.</summary>
    internal IReadOnlyList<JournalEngine> Engines => [.. _reader.Journal.Shards.Select(part => ((SupervisedEngine)part).Engine)];

    /// <summary>
    /// The events of one persistence id, by sequence number, and those that are written later. The stream completes when it has
    /// passed <paramref name="toSequenceNr"/>.
    /// </summary>
    /// <param name="persistenceId">The id, compared ordinally.</param>
    /// <param name="fromSequenceNr">The first sequence number, included; 0 for the first event.</param>
    /// <param name="toSequenceNr">The last sequence number, included; <see cref="long.MaxValue"/> for no end.</param>
    /// <exception cref="ArgumentException">The id is empty, or is not well-formed UTF-16.</exception>
    public Source<EventEnvelope, NotUsed> EventsByPersistenceId(string persistenceId, long fromSequenceNr, long toSequenceNr) =>
        Events(persistenceId, _reader.EventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr), isLive: toSequenceNr == long.MaxValue);

    /// <summary>
    /// The events of one persistence id that exist when the stream reads them. After a full page (<c>max-buffer-size</c>) these
    /// include events that were written since the stream began. Otherwise as <see cref="EventsByPersistenceId"/>.
    /// </summary>
    /// <param name="persistenceId">The id, compared ordinally.</param>
    /// <param name="fromSequenceNr">The first sequence number, included; 0 for the first event.</param>
    /// <param name="toSequenceNr">The last sequence number, included; <see cref="long.MaxValue"/> for no end.</param>
    /// <exception cref="ArgumentException">The id is empty, or is not well-formed UTF-16.</exception>
    public Source<EventEnvelope, NotUsed> CurrentEventsByPersistenceId(string persistenceId, long fromSequenceNr, long toSequenceNr) =>
        Events(persistenceId, _reader.CurrentEventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr), isLive: false);

    /// <summary>
    /// The events with a tag in journal order, and those that are written later. The query waits for events that commit late,
    /// so a stored offset never skips one.
    /// </summary>
    /// <param name="tag">The tag, compared ordinally.</param>
    /// <param name="offset">
    /// The offset of the last event that was handled; <see cref="NoOffset"/> or null to begin with the first event; or
    /// <see cref="FromEnd"/> to begin with the n-th last event at the start of the stream. A journal of several shards refuses
    /// <see cref="FromEnd"/>.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The tag is empty or not allowed. Or the offset is negative, of another kind, or of a journal with other shards.
    /// </exception>
    public Source<EventEnvelope, NotUsed> EventsByTag(string tag, Offset offset) => ByTag(_reader.EventsByTag, tag, offset, isLive: true);

    /// <summary>The events with a tag that exist when the stream starts. Otherwise as <see cref="EventsByTag"/>.</summary>
    /// <param name="tag">The tag, compared ordinally.</param>
    /// <param name="offset">As for <see cref="EventsByTag"/>.</param>
    /// <exception cref="ArgumentException">
    /// The tag is empty or not allowed. Or the offset is negative, of another kind, or of a journal with other shards.
    /// </exception>
    public Source<EventEnvelope, NotUsed> CurrentEventsByTag(string tag, Offset offset) =>
        ByTag(_reader.CurrentEventsByTag, tag, offset, isLive: false);

    /// <summary>All events. Otherwise as <see cref="EventsByTag"/>.</summary>
    /// <param name="offset">As for <see cref="EventsByTag"/>.</param>
    /// <exception cref="ArgumentException">The offset is negative, of another kind, or of a journal with other shards.</exception>
    public Source<EventEnvelope, NotUsed> AllEvents(Offset offset) => Ordered(_reader.AllEvents, offset, isLive: true);

    /// <summary>All events that exist when the stream starts. Otherwise as <see cref="EventsByTag"/>.</summary>
    /// <param name="offset">As for <see cref="EventsByTag"/>.</param>
    /// <exception cref="ArgumentException">The offset is negative, of another kind, or of a journal with other shards.</exception>
    public Source<EventEnvelope, NotUsed> CurrentAllEvents(Offset offset) => Ordered(_reader.CurrentAllEvents, offset, isLive: false);

    /// <summary>
    /// The events whose persistence ids are in a range of slices (<see cref="JournalSlices"/>), to share the work among
    /// processes. Otherwise as <see cref="EventsByTag"/>.
    /// </summary>
    /// <param name="minSlice">The first slice, from 0 to 1,023.</param>
    /// <param name="maxSlice">The last slice, included; from <paramref name="minSlice"/> to 1,023.</param>
    /// <param name="offset">As for <see cref="EventsByTag"/>.</param>
    /// <exception cref="ArgumentException">
    /// A slice is out of its range. Or the offset is negative, of another kind, or of a journal with other shards.
    /// </exception>
    public Source<EventEnvelope, NotUsed> EventsBySlices(int minSlice, int maxSlice, Offset offset)
    {
        CheckSlices(minSlice, maxSlice);
        return Ordered(start => _reader.EventsBySlices(minSlice, maxSlice, start), offset, isLive: true);
    }

    /// <summary>The events of a range of slices that exist when the stream starts. Otherwise as <see cref="EventsBySlices"/>.</summary>
    /// <param name="minSlice">The first slice, from 0 to 1,023.</param>
    /// <param name="maxSlice">The last slice, included; from <paramref name="minSlice"/> to 1,023.</param>
    /// <param name="offset">As for <see cref="EventsByTag"/>.</param>
    /// <exception cref="ArgumentException">
    /// A slice is out of its range. Or the offset is negative, of another kind, or of a journal with other shards.
    /// </exception>
    public Source<EventEnvelope, NotUsed> CurrentEventsBySlices(int minSlice, int maxSlice, Offset offset)
    {
        CheckSlices(minSlice, maxSlice);
        return Ordered(start => _reader.CurrentEventsBySlices(minSlice, maxSlice, start), offset, isLive: false);
    }

    /// <summary>The persistence ids that have events, and those that get events later. Each comes once, in no particular order.</summary>
    public Source<string, NotUsed> PersistenceIds() => Ids(_reader.PersistenceIds(), isLive: true);

    /// <summary>The persistence ids that have events now. Each comes once, in no particular order.</summary>
    public Source<string, NotUsed> CurrentPersistenceIds() => Ids(_reader.CurrentPersistenceIds(), isLive: false);

    /// <summary>
    /// Tells the events of a query to an actor, without a stream: a subscription needs no materializer, less memory and less
    /// processor time. It has the guarantees, errors, adapters and serializers of the stream. The events are decoded on the
    /// thread pool, and come as <see cref="EventsDelivered"/>.
    /// </summary>
    /// <param name="query">
    /// What a query method of this journal returned, without operators. A supervision strategy that was added with
    /// <c>AddAttributes</c> decides about events that cannot be decoded, as in a stream.
    /// </param>
    /// <param name="receiver">The actor that gets the messages, in this process. The subscription ends when it stops.</param>
    /// <param name="demand">
    /// The number of events that are requested at the start, at least 0; <see cref="long.MaxValue"/> for all. The receiver
    /// requests more by <see cref="Subscription.Request"/>.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The source is not a query as this journal returned it. Or the receiver is <c>Nobody</c> or on another node: use the
    /// cluster's feed there. Or the demand is negative.
    /// </exception>
    /// <exception cref="JournalClosedException">The actor system has ended.</exception>
    public Subscription Subscribe(Source<EventEnvelope, NotUsed> query, IActorRef receiver, long demand) =>
        _subscriptions.Subscribe(query, receiver, demand, static (subscription, events) => new EventsDelivered(subscription, events));

    /// <summary>
    /// Tells persistence ids to an actor, as <see cref="PersistenceIdsDelivered"/>. Otherwise as
    /// <see cref="Subscribe(Source{EventEnvelope, NotUsed}, IActorRef, long)"/>.
    /// </summary>
    /// <inheritdoc cref="Subscribe(Source{EventEnvelope, NotUsed}, IActorRef, long)" path="/param|/exception"/>
    public Subscription Subscribe(Source<string, NotUsed> query, IActorRef receiver, long demand) =>
        _subscriptions.Subscribe(query, receiver, demand, static (subscription, ids) => new PersistenceIdsDelivered(subscription, ids));

    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    /// <exception cref="JournalClosedException">The actor system terminates.</exception>
    internal static ThrottledReadJournal Open(ExtendedActorSystem system, Config section)
    {
        var shards = SettingsFile.Read(system, section);
        var budget = JournalBudget.Of(system, shards[0]);
        if (budget is not null)
            shards = [.. shards.Select(each => each with { Ceiling = new() })];
        CompactMailbox.DefineIn(system);
        var settings = shards[0];
        var log = Logging.GetLogger(system, settings.PluginId);
        if (settings.Unused.OfOthers.Count > 0)
            log.UnusedSettings(settings.PluginId, settings.Unused.OfOthers);
        if (settings.Unused.Unknown.Count > 0)
            log.UnknownSettings(settings.PluginId, settings.Unused.Unknown);
        if (settings.Unused.Strays.Count > 0)
            log.StraySections(settings.PluginId, UnusedSettings.Quoted(settings.Unused.Strays));
        if (settings.Unused.IsSectionMissing)
            log.MissingSection(settings.PluginId);
        foreach (var given in shards.Select(each => each.Given).OfType<GivenDatabase>().Where(each => each.Unused.Count > 0))
            log.UnusedOfCode(given.Settings[0].Name, given.Unused);
        EventDecoder[] decoders = [.. shards.Select(each => new EventDecoder(
            new(system, each.Serializer, each.IsStoredAsJson), WritePluginAdapters.Of(system, each.WritePlugin), each, log))];
        var running = new RunningQueries();
        var subscriptions = new JournalSubscriptions(
            running, () => JournalOpening.StartWatcher(system, settings), new ThreadPoolScheduler(),
            () => system.WhenTerminated.IsCompleted ? new JournalClosedException(settings.PluginId, system.Name) : null);
        var journal = new ThrottledReadJournal(JournalOpening.Open(system, shards, running, log), subscriptions, decoders, settings.Names);
        budget?.Start(system, settings, [.. shards.Select(each => each.Ceiling!)]);
        // User actors still run in this phase, and in no later one.
        CoordinatedShutdown.Get(system).AddTask(
            CoordinatedShutdown.PhaseBeforeActorSystemTerminate,
            $"complete the live queries of {settings.PluginId}",
            async () =>
            {
                await running.CompleteLiveAsync().ConfigureAwait(false);
                return Done.Instance;
            });
        return journal;
    }

    private Source<EventEnvelope, NotUsed> Events(string persistenceId, IAsyncEnumerable<JournalEvent> query, bool isLive) =>
        Events(query, _events[_map.ShardOf(persistenceId)], isLive);

    private Source<EventEnvelope, NotUsed> Ordered(Func<ShardedPosition, IAsyncEnumerable<JournalEvent>> query, Offset? offset, bool isLive)
    {
        var start = StartOffset.Of(offset, _map);
        var events = (JournalQuery<JournalEvent>)query(start);
        return Events(
            offset is FromEnd last ? events.FromEnd(last.Count) : events, _map.Count > 1 ? new PositionedDecoder(_events, start) : _events[0], isLive);
    }

    private Source<EventEnvelope, NotUsed> Events(
        IAsyncEnumerable<JournalEvent> query, IItemDecoder<JournalEvent, EventEnvelope> decoder, bool isLive) => Source.FromGraph(
            new ThrottledQueryStage<JournalEvent, EventEnvelope>(((JournalQuery<JournalEvent>)query).Open, decoder, _subscriptions, isLive));

    private Source<EventEnvelope, NotUsed> ByTag(
        Func<string, ShardedPosition, IAsyncEnumerable<JournalEvent>> query, string tag, Offset? offset, bool isLive)
    {
        try
        {
            return Ordered(start => query(tag, start), offset, isLive);
        }
        catch (ArgumentException error) when (_names.Translate(error.Message) is var message && message != error.Message)
        {
            // The message ends with the parameter's name. Remove it, because the new exception adds it again.
            throw new ArgumentException(message.Replace(new ArgumentException("", error.ParamName).Message, "", StringComparison.Ordinal), error.ParamName, error);
        }
    }

    private Source<string, NotUsed> Ids(IAsyncEnumerable<string> query, bool isLive) => Source.FromGraph(
        new ThrottledQueryStage<string, string>(((JournalQuery<string>)query).Open, _ids, _subscriptions, isLive));

    // Checked here, because the engine's message would call them min and max.
    private static void CheckSlices(int minSlice, int maxSlice)
    {
        const int last = JournalSlices.Count - 1;
        if (minSlice is < 0 or > last)
            throw new ArgumentException(FormattableString.Invariant($"minSlice is {minSlice}; it must be from 0 to {last}."), nameof(minSlice));
        if (maxSlice < minSlice || maxSlice > last)
            throw new ArgumentException(
                FormattableString.Invariant($"maxSlice is {maxSlice}; it must be from minSlice, which is {minSlice}, to {last}."), nameof(maxSlice));
    }
}
