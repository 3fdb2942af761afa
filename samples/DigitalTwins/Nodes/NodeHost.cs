using System.Runtime.InteropServices;
using Akka.Cluster.Hosting;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using DigitalTwins.Databases;
using DigitalTwins.Devices;
using DigitalTwins.ReadModel;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Throttled.Tool.CommandLine;

namespace DigitalTwins.Nodes;

/// <summary>A node, in the child process. It ends when its standard input ends, so also if the parent is killed.</summary>
internal static class NodeHost
{
    // Statements at once on each database, of this node's queries.
    private const int Queries = 4;

    /// <exception cref="CommandException">The process was not started by the benchmark.</exception>
    internal static async Task<int> RunAsync()
    {
        // Ctrl+C goes to all processes of the terminal. The parent handles it.
        using var ignored = PosixSignalRegistration.Create(PosixSignal.SIGINT, signal => signal.Cancel = true);
        if (Console.In.ReadLine() is not { } line || !line.StartsWith('{') || NodeSettings.Read(line) is not { } settings)
            throw new CommandException("The verb node has no settings on its standard input; only the benchmark starts nodes. Leave the verb out.");
        using var host = Build(settings);
        await host.StartAsync();
        // Console.In blocks its thread, also in asynchronous methods.
        await Task.Factory.StartNew(Console.In.ReadToEnd, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await host.StopAsync();
        return 0;
    }

    private static IHost Build(NodeSettings settings)
    {
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services.AddAkka(TwinCluster.Name, akka => akka
            .WithTwinCluster(settings.Port, settings.SeedPort, [TwinCluster.Role])
            .WithDeviceJournal(settings)
            .WithThrottledReadJournal(journal => journal.MaxConcurrentQueries = Queries)
            .WithShardRegion<Device>(
                TwinCluster.Devices, id => Akka.Actor.Props.Create(() => new Device(id)), new DeviceExtractor(), new ShardOptions { Role = TwinCluster.Role }));
        builder.Services.AddDeviceTotals(settings);
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        return builder.Build();
    }
}
