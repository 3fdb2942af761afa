using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>The expected state of one entity with random commands.</summary>
/// <param name="id">Its persistence id.</param>
/// <param name="random">The source of its commands.</param>
/// <param name="defersAlone">
/// Whether the entity may defer without persisting in the same command. Akka.Persistence.Sql fails such a write (Sequence contains no
/// elements), and opens its circuit breaker after ten.
/// </param>
internal sealed class EntityModel(string id, Random random, bool defersAlone)
{
    private readonly List<string> _state = [];
    private readonly List<string> _handled = [];
    private int _commands;
    private long _deleted;

    internal string Id => id;

    internal long Events => LastSequenceNr - _deleted;

    private long LastSequenceNr { get; set; }

    internal IActorRef Entity { get; set; } = ActorRefs.Nobody;

    /// <summary>Sends several lists of steps to the entity, without waiting.</summary>
    internal void Tell()
    {
        for (var list = random.Next(1, 4); list > 0; list--)
            Entity.Tell(Steps());
    }

    internal async Task CheckAsync()
    {
        var reported = await ShardedKit.ReportAsync(Entity, _handled.Count);
        Assert.Equal(_handled, reported.Handled);
        Assert.Equal(_state, reported.State);
        Assert.Equal(LastSequenceNr, reported.LastSequenceNr);
    }

    /// <summary>Deletes some events, then stops the entity or lets it fail, and restarts it.</summary>
    internal async Task RestartAsync(Func<string, IActorRef> start)
    {
        if (random.Next(3) == 0 && LastSequenceNr > 0)
            await DeleteAsync();
        _handled.Clear();
        _state.RemoveRange(0, (int)(_state.Count - Events));
        if (random.Next(2) == 0)
        {
            Entity.Tell(new Entity.Restart());
            return;
        }
        await ShardedKit.StopAsync(Entity);
        Entity = start(id);
    }

    private async Task DeleteAsync()
    {
        var to = random.NextInt64(1, LastSequenceNr + 1);
        await Entity.Ask<Done>(new Entity.DeleteTo(to), TimeSpan.FromSeconds(60));
        _deleted = Math.Max(_deleted, to);
    }

    private Entity.Step[] Steps()
    {
        var kinds = Enumerable.Range(0, random.Next(1, 5)).Select(_ => (Entity.StepKind)random.Next(5)).ToList();
        if (!defersAlone && kinds.TrueForAll(kind => kind == Writing.Entity.StepKind.Defer))
            kinds.Insert(random.Next(kinds.Count + 1), Writing.Entity.StepKind.PersistAsync);
        return [.. kinds.Select(Step)];
    }

    private Entity.Step Step(Entity.StepKind kind)
    {
        var several = kind is Writing.Entity.StepKind.PersistAll or Writing.Entity.StepKind.PersistAllAsync ? random.Next(1, 4) : 1;
        string[] texts = [.. Enumerable.Range(0, several).Select(_ => $"{kind} {_commands++}")];
        _handled.AddRange(texts);
        if (kind != Writing.Entity.StepKind.Defer)
        {
            _state.AddRange(texts);
            LastSequenceNr += several;
        }
        return new(kind, texts);
    }
}
