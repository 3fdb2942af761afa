using System.Diagnostics;
using Akka;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using CrushTest.Akka.Actors;
using CrushTest.Engine;

namespace CrushTest.Akka.Rounds;

/// <summary>
/// One round of actors and streams in an actor system of its own: all at once, until each has its last event. They stay alive until it
/// is disposed. One materializer serves all.
/// </summary>
internal sealed class StreamRound : IAsyncDisposable
{
    private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly SortedDictionary<string, string> _warnings = [];
    private readonly IMaterializer _materializer;
    private readonly int _streams;
    private int _started;

    /// <param name="config">Of the actor system.</param>
    /// <param name="streams">How many.</param>
    /// <param name="tally">Checks what comes.</param>
    internal StreamRound(Config config, int streams, Tally tally)
    {
        (_streams, Tally) = (streams, tally);
        System = ActorSystem.Create("crush", config);
        _materializer = System.Materializer();
        System.ActorOf(Props.Create<WarningList>(_warnings), "warnings");
    }

    internal ActorSystem System { get; }

    internal int Started => Volatile.Read(ref _started);

    internal Tally Tally { get; }

    internal string[] Warnings()
    {
        lock (_warnings)
            return [.. _warnings.Values];
    }

    /// <summary>Starts the actors and waits for the last event, or until none comes any more.</summary>
    /// <returns>The seconds.</returns>
    internal async Task<double> RunAsync(Func<int, Source<EventEnvelope, NotUsed>> open, CancellationToken cancellation)
    {
        var watch = Stopwatch.StartNew();
        var tracker = System.ActorOf(Props.Create<Tracker>(_streams, _end), "tracker");
        var parts = new QueryParts(open, _materializer, Tally, tracker);
        for (var i = 0; i < _streams && !cancellation.IsCancellationRequested; i++)
        {
            System.ActorOf(Props.Create<QueryActor>(i, parts));
            Volatile.Write(ref _started, i + 1);
        }
        await Progress.WaitAsync(_end.Task, () => Tally.Delivered, cancellation);
        return watch.Elapsed.TotalSeconds;
    }

    public async ValueTask DisposeAsync()
    {
        Tally.Ending();
        await System.Terminate();
    }
}
