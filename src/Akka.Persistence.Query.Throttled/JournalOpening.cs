using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Diagnostics;
using Akka.Persistence.Query.Throttled.Permits;
using Akka.Persistence.Query.Throttled.Reopening;
using Akka.Persistence.Query.Throttled.Running;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Subscriptions;
using Throttled.Journal;
using Throttled.Journal.Database;
using Throttled.Journal.Permits;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Queries;
using Throttled.Journal.Sharding;
using Throttled.Journal.SqlServer;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled;

/// <summary>Opens the engines of a read journal in an actor system, and closes them before the system ends.</summary>
internal static class JournalOpening
{
    // Statements end by their own timeout. The extra time is for cancellations that the database does not acknowledge.
    private static readonly TimeSpan CloseTimeout = TimeSpan.FromSeconds(15);

    // A stage or subscription that has got the error needs no more than this, unless its thread is blocked.
    private static readonly TimeSpan QueriesTimeout = TimeSpan.FromSeconds(5);

    private static int _opened;

    /// <exception cref="ConfigurationException">A database cannot be opened as it is configured.</exception>
    /// <exception cref="JournalClosedException">The actor system terminates.</exception>
    internal static IJournal Open(ExtendedActorSystem system, IReadOnlyList<JournalSettings> shards, RunningQueries running, ILoggingAdapter log)
    {
        // The system can terminate at any time, also during this call. The guard then waits until this call has succeeded or failed.
        var opened = new TaskCompletionSource<IJournal?>(TaskCreationOptions.RunContinuationsAsynchronously);
        var guard = Start(system, shards[0], TerminationGuard.Props(CloseAsync, shards.Max(shard => shard.Options.StatementTimeout) + CloseTimeout, () => log.NotClosed(shards[0].PluginId)), $"read-journal-{NameOf(shards[0].PluginId)}");
        List<SupervisedEngine> engines = [];
        try
        {
            foreach (var shard in shards)
                engines.Add(Supervised(system, shard, log).Start());
        }
        catch
        {
            // Blocking is quick, because the engines have run nothing.
            Task.WhenAll(engines.Select(engine => engine.DisposeAsync().AsTask())).GetAwaiter().GetResult();
            opened.SetResult(null);
            system.Stop(guard);
            throw;
        }
        IJournal journal = shards[0].Options.Shard is { Map: var map } ? new MergedJournal(map, engines) : engines[0];
        opened.SetResult(journal);
        return journal;

        async Task CloseAsync()
        {
            if (await opened.Task.ConfigureAwait(false) is not { } open)
                return;
            await open.DisposeAsync().ConfigureAwait(false);
            // The queries of system actors have got the error as a message. Their actors stop when this task ends.
            await running.EndedAsync().WaitAsync(QueriesTimeout, TimeProvider.System).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Starts the actor that watches the receivers of subscriptions.</summary>
    /// <exception cref="JournalClosedException">The actor system terminates.</exception>
    internal static IActorRef StartWatcher(ExtendedActorSystem system, JournalSettings settings) =>
        Start(system, settings, ReceiverWatcher.Props(), $"receiver-watcher-{NameOf(settings.PluginId)}");

    private static SupervisedEngine Supervised(ExtendedActorSystem system, JournalSettings settings, ILoggingAdapter log)
    {
        var isOpenedAgain = false;
        return new(Open, () => new JournalClosedException(settings.PluginId, system.Name), settings.Options.StatementTimeout, settings.Options.TimeProvider);

        JournalEngine Open(SupervisedEngine supervised)
        {
            try
            {
                var engine = OpenOne(system, settings, log, supervised);
                if (isOpenedAgain)
                    log.OpenedAgain(settings.PluginId);
                return engine;
            }
            catch (Exception error) when (isOpenedAgain && error is not JournalClosedException)
            {
                log.NotOpenedAgain(settings.PluginId, error);
                throw;
            }
            finally
            {
                isOpenedAgain = true;
            }
        }
    }

    private static JournalEngine OpenOne(ExtendedActorSystem system, JournalSettings settings, ILoggingAdapter log, SupervisedEngine supervised)
    {
        var options = settings.Options with
        {
            LoggerFactory = new AkkaLoggerFactory(log),
            // The decoder handles these events, as it handles all others that cannot be decoded.
            OnLargePayload = LargePayloadAction.OmitPayload,
        };
        var life = new EngineLife(settings.PluginId, system.Name, log, supervised);
        Action<StatementSlot>? grant = null;
        var database = OpenDatabase(settings, options);
        IActorRef? throttler = null;
        try
        {
            throttler = StartThrottler(system, settings, slot => grant!(slot), life.ThrottlerStopped);
            return life.Begin(new JournalEngine(database, options, new EngineOverrides
            {
                Permits = context => new ActorPermits(context.Loop, granted =>
                {
                    grant = granted;
                    return throttler;
                }),
                // Messages need no prefix: the log shows the journal's id as their source.
                Naming = new() { In = settings.Names.Translate, Connection = ConnectionOf(settings) },
                Closed = life.Reason,
                Ended = life.Ended,
                Ceiling = settings.Ceiling,
            }));
        }
        catch
        {
            throttler?.Tell(PoisonPill.Instance);
            // Blocking is quick, because the database has run nothing.
            database.DisposeAsync().AsTask().GetAwaiter().GetResult();
            throw;
        }
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
            throw new ConfigurationException(Translated(settings, error.Message), error);
        }
    }

    private static string Translated(JournalSettings settings, string message)
    {
        if (settings.Names.Translate(message) is var translated && translated != message)
            return translated;
        var connection = ConnectionOf(settings);
        return $"{char.ToUpperInvariant(connection[0])}{connection[1..]}: {message}";
    }

    private static string ConnectionOf(JournalSettings settings)
    {
        if (settings.Given is { Settings: [var given, ..] })
            return $"'{given.Name}'";
        if (settings.DataSource is null)
            return $"'{settings.ConnectionSetting}'";
        var which = settings.Options.Shard is { IsOneOfSeveral: true, Shard: var shard } ? FormattableString.Invariant($"shard {shard} of ") : "";
        return $"the data source of {which}'{settings.PluginId}'";
    }

    private static IActorRef StartThrottler(
        ExtendedActorSystem system, JournalSettings settings, Action<StatementSlot> grant, Action stopped)
    {
        var options = settings.Options;
        var start = options.TimeProvider.GetTimestamp();
        var shard = options.Shard is { IsOneOfSeveral: true, Shard: var number } ? FormattableString.Invariant($"-shard-{number}") : "";
        return Start(
            system,
            settings,
            QueryThrottler.Props(new()
            {
                Ledger = PermitLedger.Of(options, settings.Ceiling),
                Tokens = TokenClock.Of(options, TimeSpan.Zero),
                Now = () => options.TimeProvider.GetElapsedTime(start),
                Grant = grant,
                Stopped = stopped,
            }),
            $"query-throttler-{NameOf(settings.PluginId)}{shard}");
    }

    /// <exception cref="JournalClosedException">The system terminates and starts no more actors.</exception>
    private static IActorRef Start(ExtendedActorSystem system, JournalSettings settings, Props props, string name)
    {
        try
        {
            // The number keeps names unique if a journal is opened several times.
            return system.SystemActorOf(props, FormattableString.Invariant($"{name}-{Interlocked.Increment(ref _opened)}"));
        }
        catch (InvalidOperationException error)
        {
            throw new JournalClosedException(settings.PluginId, system.Name, error);
        }
    }

    // A HOCON key may have characters that the name of an actor may not.
    private static string NameOf(string pluginId) => Uri.EscapeDataString(pluginId);
}
