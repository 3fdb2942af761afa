using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Diagnostics;
using Akka.Persistence.Query.Throttled.Permits;
using Akka.Persistence.Query.Throttled.Settings;
using Throttled.Journal;
using Throttled.Journal.Permits;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Queries;
using Throttled.Journal.Sharding;
using Throttled.Journal.Sql;
using Throttled.Journal.Sqlite;
using Throttled.Journal.SqlServer;

namespace Akka.Persistence.Query.Throttled;

/// <summary>Opens the engines of a read journal in an actor system, and sees to it that they end before the system does.</summary>
internal static class JournalOpening
{
    private static int _opened;

    /// <param name="system">The actor system.</param>
    /// <param name="shards">The settings of each shard; those of one database where the journal is not divided.</param>
    /// <param name="log">Where they log.</param>
    /// <exception cref="ConfigurationException">A database cannot be opened as it is configured.</exception>
    /// <exception cref="JournalClosedException">The actor system terminates.</exception>
    internal static IJournal Open(ExtendedActorSystem system, IReadOnlyList<JournalSettings> shards, ILoggingAdapter log)
    {
        List<JournalEngine> engines = [];
        try
        {
            foreach (var shard in shards)
                engines.Add(OpenOne(system, shard, log));
        }
        catch
        {
            // Quick: nothing has run on them.
            Task.WhenAll(engines.Select(engine => engine.DisposeAsync().AsTask())).GetAwaiter().GetResult();
            throw;
        }
        return shards[0].Options.Shard is { Map: var map } ? new Shards(map, engines) : engines[0];
    }

    private static JournalEngine OpenOne(ExtendedActorSystem system, JournalSettings settings, ILoggingAdapter log)
    {
        var options = settings.Options with
        {
            LoggerFactory = new AkkaLoggerFactory(log, settings.Names.In),
            // What its event does is decided where others are that cannot be decoded.
            OnLargePayload = LargePayload.Deliver,
        };
        // Its throttler starts before the engine is whole, and may be told to close it by then: the system can terminate at any time.
        var opened = new TaskCompletionSource<JournalEngine>(TaskCreationOptions.RunContinuationsAsynchronously);
        InvalidOperationException? refusal = null;
        var engine = new JournalEngine(OpenDatabase(settings, options), options, new EngineSeams
        {
            Permits = context => new ActorPermits(context.Loop, grant =>
            {
                try
                {
                    return StartThrottler(system, context, grant, opened.Task);
                }
                catch (InvalidOperationException error)
                {
                    // A system that terminates starts no actors. The engine is made whole all the same, because then it can be taken down.
                    refusal = error;
                    return ActorRefs.Nobody;
                }
            }),
            Closed = () => new JournalClosedException(settings.PluginId, system.Name),
        });
        opened.SetResult(engine);
        if (refusal is not null)
        {
            // Quick: nothing has run on it.
            engine.DisposeAsync().AsTask().GetAwaiter().GetResult();
            throw new JournalClosedException(settings.PluginId, system.Name, refusal);
        }
        CoordinatedShutdown.Get(system).AddTask(
            CoordinatedShutdown.PhaseBeforeActorSystemTerminate,
            $"close {settings.PluginId}",
            async () =>
            {
                await engine.DisposeAsync().ConfigureAwait(false);
                return Done.Instance;
            });
        return engine;
    }

    private static IJournalDatabase OpenDatabase(JournalSettings settings, JournalOptions options)
    {
        try
        {
            return (settings.Database, settings.DataSource) switch
            {
                (DatabaseKind.PostgreSql, { } source) => PostgreSqlJournal.OpenDatabase(source, options),
                (DatabaseKind.PostgreSql, null) => PostgreSqlJournal.OpenDatabase(settings.ConnectionString, options),
                (DatabaseKind.SqlServer, { } source) => SqlServerJournal.OpenDatabase(source, options),
                (DatabaseKind.SqlServer, null) => SqlServerJournal.OpenDatabase(settings.ConnectionString, options),
                (_, null) => SqliteJournal.OpenDatabase(settings.ConnectionString, options),
                _ => throw new ArgumentException("SQLite takes no data source. Give a connection string."),
            };
        }
        catch (ArgumentException error)
        {
            throw new ConfigurationException(Said(settings, error.Message), error);
        }
    }

    private static string Said(JournalSettings settings, string message)
    {
        if (settings.Names.In(message) is var said && said != message)
            return said;
        if (settings.DataSource is null)
            return $"'{settings.ConnectionSetting}': {message}";
        var which = settings.Options.Shard is { IsOneOfSeveral: true, Shard: var shard } ? FormattableString.Invariant($"shard {shard} of ") : "";
        return $"The data source of {which}'{settings.PluginId}': {message}";
    }

    private static IActorRef StartThrottler(
        ExtendedActorSystem system, JournalContext context, Action<StatementSlot> grant, Task<JournalEngine> opened)
    {
        var options = context.Options;
        return system.SystemActorOf(
            QueryThrottler.Props(new()
            {
                Ledger = PermitLedger.Of(options),
                Tokens = TokenClock.Of(options, context.Loop.Now),
                Now = () => context.Loop.Now,
                Grant = grant,
                Close = async () =>
                {
                    var engine = await opened.ConfigureAwait(false);
                    await engine.DisposeAsync().ConfigureAwait(false);
                },
            }),
            $"query-throttler-{Interlocked.Increment(ref _opened)}");
    }
}
