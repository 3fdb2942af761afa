using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Actor.Setup;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>An actor system with some HOCON, and its log.</summary>
internal sealed class ConfiguredSystem : IDisposable, IAsyncDisposable
{
    private readonly ConcurrentQueue<LogEvent> _logged = new();

    internal ConfiguredSystem(string hocon, params Setup[] setups)
        : this(ConfigurationFactory.ParseString(hocon), setups)
    {
    }

    internal ConfiguredSystem(Config config, params Setup[] setups)
    {
        var quiet = ConfigurationFactory.ParseString("akka { loglevel = DEBUG, stdout-loglevel = OFF, loggers = [\"Akka.TestKit.TestEventListener, Akka.TestKit\"] }");
        var setup = setups.Aggregate(
            ActorSystemSetup.Create(BootstrapSetup.Create().WithConfig(config.WithFallback(quiet))), (all, one) => all.And(one));
        System = ActorSystem.Create("settings", setup);
        var listener = System.ActorOf(Props.Create(() => new Listener(_logged)));
        System.EventStream.Subscribe(listener, typeof(LogEvent));
    }

    internal ActorSystem System { get; }

    /// <summary>The log events of a journal from the beginning until now.</summary>
    internal async Task<IReadOnlyList<LogEvent>> LoggedAsync(string id = ThrottledReadJournal.Identifier)
    {
        var end = new Info("test", typeof(ConfiguredSystem), $"end {Guid.NewGuid()}");
        System.EventStream.Publish(end);
        await Wait.UntilAsync(() => _logged.Contains(end), "the log's end");
        return [.. _logged.Where(each => each.LogSource.Contains(id, StringComparison.Ordinal))];
    }

    /// <summary>Waits for a log message.</summary>
    internal Task LogsAsync(string part) => Wait.UntilAsync(
        () => _logged.Any(each => each.Message.ToString()!.Contains(part, StringComparison.Ordinal)),
        () => $"\"{part}\" in the log: {string.Join(" | ", _logged.Where(each => each.LogLevel() > LogLevel.DebugLevel))}");

    internal ThrottledReadJournal Open(string id = ThrottledReadJournal.Identifier) => System.ReadJournalFor<ThrottledReadJournal>(id);

    /// <summary>The error of the call that opens the journal.</summary>
    internal ConfigurationException Refusal(string id = ThrottledReadJournal.Identifier) => Assert.Throws<ConfigurationException>(() => Open(id));

    internal JournalSettings Read(string id = ThrottledReadJournal.Identifier) => SettingsFile.Read(System, System.Settings.Config.GetConfig(id)).Single();

    /// <summary>The settings that are read from a section.</summary>
    internal static JournalSettings Settings(string hocon, string id = ThrottledReadJournal.Identifier)
    {
        using var system = new ConfiguredSystem(hocon);
        return system.Read(id);
    }

    public void Dispose() => System.Terminate().GetAwaiter().GetResult();

    // Use this after streams have run: code after an awaited stream runs in the stream's actor, and a synchronous wait would keep it from stopping.
    public async ValueTask DisposeAsync() => await System.Terminate();

    private sealed class Listener : ReceiveActor
    {
        public Listener(ConcurrentQueue<LogEvent> logged) => Receive<LogEvent>(logged.Enqueue);
    }
}
