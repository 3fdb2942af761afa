using Akka;
using Akka.Actor;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using CrushTest.Engine;

namespace CrushTest.Akka.Actors;

/// <summary>What all actors of a round work with.</summary>
/// <param name="Open">The stream of one of them.</param>
/// <param name="Materializer">Runs the streams.</param>
/// <param name="Tally">Checks what comes.</param>
/// <param name="Tracker">Told when one is finished.</param>
internal sealed record QueryParts(
    Func<int, Source<EventEnvelope, NotUsed>> Open, IMaterializer Materializer, Tally Tally, IActorRef Tracker);
