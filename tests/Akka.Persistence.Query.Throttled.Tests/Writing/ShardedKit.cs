using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.Query.Throttled.Tests.Settings;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>An actor system whose persistent actors write to a sharded journal.</summary>
internal sealed class ShardedKit : IAsyncDisposable
{
    private readonly ConcurrentQueue<Exception> _failures = new();
    private readonly ConfiguredSystem _system;
    private readonly IActorRef _heard;

    /// <param name="config">The configuration.</param>
    /// <param name="differs">Settings that override it.</param>
    internal ShardedKit(Config config, string differs = "")
    {
        _system = new(ConfigurationFactory.ParseString(differs).WithFallback(config));
        _heard = System.ActorOf(Props.Create(() => new Listener(_failures)));
    }

    internal ActorSystem System => _system.System;

    /// <summary>The sharded journal.</summary>
    internal IActorRef Journal => Persistence.Instance.Apply(System).JournalFor(null);

    internal static ShardedKit On(ShardedFiles files, string differs = "") => new(files.Config, differs);

    internal IActorRef Entity(string id) => System.ActorOf(Writing.Entity.Props(id, _heard));

    /// <summary>Persists an event.</summary>
    /// <returns>The error; null if the event was persisted.</returns>
    internal async Task<Exception?> PersistAsync(string id, string text)
    {
        var before = _failures.Count;
        var entity = Entity(id);
        entity.Tell(new[] { new Entity.Step(Writing.Entity.StepKind.Persist, text) });
        var report = ReportAsync(entity, 1);
        // If the entity fails, nothing waits for its report any more.
        _ = report.ContinueWith(static late => late.Exception, TaskScheduler.Default);
        await Wait.UntilAsync(() => report.IsCompletedSuccessfully || _failures.Count > before, $"an answer to {id}");
        await StopAsync(entity);
        return _failures.Count > before ? _failures.Last() : null;
    }

    /// <summary>The state of an entity after all earlier commands and the given number of handler calls since its start.</summary>
    internal static Task<Entity.Reported> ReportAsync(IActorRef entity, int handlers = 0) =>
        entity.Ask<Entity.Reported>(new Entity.Report(handlers), TimeSpan.FromSeconds(60));

    internal static Task StopAsync(IActorRef entity) => entity.GracefulStop(TimeSpan.FromSeconds(60));

    /// <summary>The log messages of the sharded journal, from a level on.</summary>
    internal async Task<IReadOnlyList<string>> LoggedAsync(LogLevel least) =>
        [.. (await _system.LoggedAsync(WriteShards.Identifier)).Where(each => each.LogLevel() >= least).Select(each => each.Message.ToString()!)];

    public ValueTask DisposeAsync() => _system.DisposeAsync();

    private sealed class Listener : ReceiveActor
    {
        public Listener(ConcurrentQueue<Exception> failures) => Receive<Exception>(failures.Enqueue);
    }
}
