using Akka.Actor;

namespace CrushTest.Akka.Actors;

/// <summary>An actor has all its events, or its stream has failed before.</summary>
internal sealed record QueryFinished
{
    internal static QueryFinished Instance { get; } = new();
}

/// <summary>Knows when all actors are finished.</summary>
/// <param name="unfinished">How many there are.</param>
/// <param name="end">Told at the end.</param>
internal sealed class Tracker(int unfinished, TaskCompletionSource end) : UntypedActor
{
    private int _unfinished = unfinished;

    protected override void OnReceive(object message)
    {
        if (message is QueryFinished && --_unfinished == 0)
            end.SetResult();
    }
}
