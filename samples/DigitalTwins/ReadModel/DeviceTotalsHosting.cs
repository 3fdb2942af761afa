using Akka.Actor;
using Akka.Persistence.Query.Throttled;
using Akka.Persistence.Query.Throttled.Hosting;
using DigitalTwins.Nodes;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Throttled.Projections;

namespace DigitalTwins.ReadModel;

/// <summary>Runs the projection on every node.</summary>
internal static class DeviceTotalsHosting
{
    private const int Lanes = 4;

    /// <summary>The nodes share the lanes by leases.</summary>
    internal static IServiceCollection AddDeviceTotals(this IServiceCollection services, NodeSettings settings) => services
        .AddThrottledJournalReader()
        .AddSingleton(_ => ReadModelDatabase.PostgreSql(NpgsqlDataSource.Create($"{settings.ReadModel};Maximum Pool Size=20")))
        .AddProjection<DeviceTotals>(DeviceTotals.Name, projection => projection.WithOptions((provider, options) => options with
        {
            Lanes = Lanes,
            ProcessName = settings.Name,
            Decoder = ThrottledReadJournal.PayloadDecoder(provider.GetRequiredService<ActorSystem>()),
        }));
}
