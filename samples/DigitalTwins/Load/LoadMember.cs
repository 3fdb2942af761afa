using Akka.Actor;
using Akka.Cluster.Hosting;
using Akka.Cluster.Sharding;
using Akka.Hosting;
using DigitalTwins.Devices;
using DigitalTwins.Nodes;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Throttled.Testing;
using Throttled.Tool.CommandLine;

namespace DigitalTwins.Load;

/// <summary>This process as a member of the cluster, without devices. The nodes join it.</summary>
internal sealed class LoadMember : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(5);

    private readonly IHost _host;

    private LoadMember()
    {
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services.AddAkka(TwinCluster.Name, akka => akka
            .WithTwinCluster(Port, Port, [])
            .AddHocon("akka.stdout-loglevel = OFF, akka.loggers = []", HoconAddMode.Prepend)
            .WithShardRegionProxy<Device>(TwinCluster.Devices, TwinCluster.Role, new DeviceExtractor()));
        // Ctrl+C is handled by the command.
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        _host = builder.Build();
    }

    internal int Port { get; } = LoopbackPort.Choose();

    /// <summary>Sends messages to devices, on whichever node they are.</summary>
    internal IActorRef Devices => _host.Services.GetRequiredService<ActorRegistry>().Get<Device>();

    /// <summary>Nodes that take devices.</summary>
    internal int Nodes { get; private set; }

    internal static async Task<LoadMember> StartAsync(CancellationToken cancellation)
    {
        var member = new LoadMember();
        await member._host.StartAsync(cancellation);
        return member;
    }

    /// <exception cref="CommandException">Not all nodes were ready in time.</exception>
    internal async Task WaitAsync(int nodes, CancellationToken cancellation)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        patience.CancelAfter(Patience);
        try
        {
            // A node that takes devices later would get some from the others in the middle of the run.
            while ((Nodes = await RegionsAsync(patience.Token)) < nodes)
                await Task.Delay(Pause, patience.Token);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new CommandException($"Of {nodes} nodes only {Nodes} were ready for devices in {Patience.TotalSeconds:N0} s. Give fewer --nodes, or free processors.");
        }
    }

    private async Task<int> RegionsAsync(CancellationToken cancellation)
    {
        try
        {
            return (await Devices.Ask<CurrentRegions>(GetCurrentRegions.Instance, Timeout, cancellation)).Regions.Count;
        }
        catch (AskTimeoutException)
        {
            // The proxy has not found the coordinator of the shards yet.
            return Nodes;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }
}
