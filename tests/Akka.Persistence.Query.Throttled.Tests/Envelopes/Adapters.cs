using Akka.Actor;
using Akka.Persistence.Journal;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

internal sealed record Kept(int Number);

internal sealed record Unwanted(int Number);

internal sealed record Pair(int First, int Second);

internal sealed record Part(int Number);

internal sealed record Combined(int Number);

internal sealed record Failing(int Number);

internal sealed record Shown(string Manifest);

internal sealed class Dropping : IReadEventAdapter
{
    public IEventSequence FromJournal(object evt, string manifest) => EventSequence.Empty;
}

// Akka.NET passes the system to adapters with such a constructor.
internal sealed class Splitting(ExtendedActorSystem system) : IReadEventAdapter
{
    public IEventSequence FromJournal(object evt, string manifest)
    {
        Assert.NotNull(system);
        return evt is Pair pair ? EventSequence.Create(new Part(pair.First), new Part(pair.Second)) : throw new InvalidCastException();
    }
}

internal sealed class PlusTen : IReadEventAdapter
{
    public IEventSequence FromJournal(object evt, string manifest) => EventSequence.Single(new Part(((Combined)evt).Number + 10));
}

internal sealed class PlusTwenty : IReadEventAdapter
{
    public IEventSequence FromJournal(object evt, string manifest) => EventSequence.Single(new Part(((Combined)evt).Number + 20));
}

internal sealed class Throwing : IReadEventAdapter
{
    public IEventSequence FromJournal(object evt, string manifest) => throw new NotSupportedException("The adapter refuses.");
}

internal sealed class Showing : IReadEventAdapter
{
    public IEventSequence FromJournal(object evt, string manifest) => EventSequence.Single(new Shown(manifest));
}

internal sealed record Started;

/// <summary>A write journal that publishes a message when it is started.</summary>
internal sealed class StartedJournal : MemoryJournal
{
    public StartedJournal() => Context.System.EventStream.Publish(new Started());
}
