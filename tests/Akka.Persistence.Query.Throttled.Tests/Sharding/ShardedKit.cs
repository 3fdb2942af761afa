using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams.Dsl;
using Throttled.Journal.Sqlite;
using AkkaSerialization = Akka.Serialization.Serialization;

namespace Akka.Persistence.Query.Throttled.Tests.Sharding;

/// <summary>A journal in two SQLite files to which the test writes, and the read journal beside the sharded write journal.</summary>
public abstract class ShardedKit : Akka.TestKit.Xunit2.TestKit, IAsyncLifetime
{
    internal const string Tag = "tag";

    private readonly SqliteFile[] _files;
    private readonly JournalAppender _appender;

    /// <param name="more">Further configuration, for example the event adapters of <c>shards.s0</c> and <c>shards.s1</c>.</param>
    protected ShardedKit(string more = "")
        : this([SqliteFile.New(isWriteAhead: true), SqliteFile.New(isWriteAhead: true)], more)
    {
    }

    private ShardedKit(SqliteFile[] files, string more)
        : base($$"""
            {{more}}
            {{AkkaTimeouts.Hocon}}
            akka.loglevel = WARNING
            akka.persistence.query.journal.throttled { refresh-interval = 20ms, max-buffer-size = 3 }
            akka.persistence.journal.plugin = akka.persistence.journal.sharded-databases
            akka.persistence.journal.sharded-databases.shards = [shards.s0, shards.s1]
            shards.s0 { class = "X, Akka.Persistence.Sql", connection-string = "{{files[0].ConnectionString}}", provider-name = SQLite }
            shards.s1 { class = "X, Akka.Persistence.Sql", connection-string = "{{files[1].ConnectionString}}", provider-name = SQLite }
            """)
    {
        _files = files;
        _appender = ShardedJournal.OpenAppender([files[0].ConnectionString, files[1].ConnectionString], SqliteJournal.OpenAppender);
        Journal = Sys.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
    }

    internal static ShardMap Map { get; } = ShardMap.Even(2);

    /// <summary>An id of each shard.</summary>
    internal static string[] Ids { get; } = [IdIn(0), IdIn(1)];

    internal ThrottledReadJournal Journal { get; }

    internal QueryWay Way => field ??= QueryWay.Of(this, Sys);

    public Task InitializeAsync() => _appender.CreateAsync();

    public async Task DisposeAsync()
    {
        await Sys.Terminate();
        await _appender.DisposeAsync();
        Array.ForEach(_files, file => file.Delete());
    }

    internal Task AppendAsync(params IReadOnlyCollection<JournalEvent> events) => _appender.AppendAsync(events);

    /// <summary>An event as a write plugin stores it.</summary>
    internal JournalEvent Stored(string id, long number, object payload, bool isTagged = true)
    {
        var serializer = Sys.Serialization.FindSerializerFor(payload);
        return new()
        {
            PersistenceId = id,
            SequenceNumber = number,
            Payload = AkkaSerialization.WithTransport((ExtendedActorSystem)Sys, (serializer, payload), static each => each.serializer.ToBinary(each.payload)),
            SerializerId = serializer.Identifier,
            Manifest = AkkaSerialization.ManifestFor(serializer, payload),
            Tags = isTagged ? [Tag] : [],
        };
    }

    internal Task<IReadOnlyList<T>> AllOfAsync<T>(Source<T, NotUsed> query)
        where T : class => Way.ReadAsync(query);

    internal Task<IReadOnlyList<T>> FirstAsync<T>(Source<T, NotUsed> query, int count)
        where T : class => Way.ReadAsync(query, count);

    /// <summary>The key of an event.</summary>
    internal static (string, long) Key(EventEnvelope each) => (each.PersistenceId, each.SequenceNr);

    private static string IdIn(int shard) => Enumerable.Range(0, 1_000).Select(i => $"id-{i}").First(id => Map.ShardOf(id) == shard);
}
