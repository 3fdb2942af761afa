using System.Diagnostics;
using Akka.Actor;
using Akka.Persistence.Query.Throttled.Envelopes;
using CrushTest.Databases;
using CrushTest.Settings;

namespace CrushTest.Actors;

/// <summary>Measures the time to decode all payloads, and nothing else, on all cores.</summary>
internal static class DecodingTime
{
    internal static async Task<double> MeasureAsync(CrushSettings settings)
    {
        using var system = (ExtendedActorSystem)ActorSystem.Create("decoding", ActorConfig.Quiet);
        var payloads = new PayloadDecoder(system, serializer: null, isStoredAsJson: false);
        var some = CrushEvents.All(settings.Payload, ["any"], Math.Min(settings.Events, 1000)).ToArray();
        var watch = Stopwatch.StartNew();
        await Task.Run(() => Parallel.For(0, settings.AllEvents / some.Length, _ =>
        {
            foreach (var each in some)
                payloads.Decode(each);
        }));
        var seconds = watch.Elapsed.TotalSeconds;
        await system.Terminate();
        return seconds;
    }
}
