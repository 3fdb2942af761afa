using Akka.Cluster.Hosting;
using Akka.Hosting;
using Akka.Remote.Hosting;
using DigitalTwins.Devices;

namespace DigitalTwins.Nodes;

/// <summary>What all members of the cluster have in common: the nodes with devices, and the load generator.</summary>
internal static class TwinCluster
{
    internal const string Name = "twins";
    internal const string Devices = "device";

    /// <summary>The role of members that run devices.</summary>
    internal const string Role = "devices";

    private const string Loopback = "127.0.0.1";

    internal static AkkaConfigurationBuilder WithTwinCluster(this AkkaConfigurationBuilder akka, int port, int seedPort, string[] roles) => akka
        .AddHocon(
            $$"""
            akka {
              loglevel = WARNING
              stdout-loglevel = WARNING
              log-dead-letters = off
              log-dead-letters-during-shutdown = off
              coordinated-shutdown.run-by-clr-shutdown-hook = off
              actor {
                serializers.device = "{{typeof(DeviceSerializer).FullName}}, {{typeof(DeviceSerializer).Assembly.GetName().Name}}"
                serialization-bindings."{{typeof(IDeviceMessage).FullName}}, {{typeof(IDeviceMessage).Assembly.GetName().Name}}" = device
              }
              # All processes share one machine, so a heartbeat may be late without a failure.
              cluster.failure-detector.acceptable-heartbeat-pause = 20s
              # The devices stay in memory.
              cluster.sharding.passivate-idle-entity-after = off
              cluster.sharding.state-store-mode = ddata
              # Everything ends together, so no node waits long for the others.
              coordinated-shutdown.default-phase-timeout = 1s
              coordinated-shutdown.phases {
                cluster-sharding-shutdown-region.timeout = 1s
                cluster-exiting.timeout = 1s
                cluster-exiting-done.timeout = 1s
                actor-system-terminate.timeout = 2s
              }
            }
            """, HoconAddMode.Prepend)
        .WithRemoting(Loopback, port)
        .WithClustering(new ClusterOptions { Roles = roles, SeedNodes = [$"akka.tcp://{Name}@{Loopback}:{seedPort}"] });
}
