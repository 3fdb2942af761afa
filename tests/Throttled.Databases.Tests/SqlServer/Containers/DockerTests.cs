using System.Net;
using System.Net.Sockets;

namespace Throttled.Journal.SqlServer.Tests.Containers;

/// <summary>Without Docker, tests that need it are skipped quickly, with a reason.</summary>
public sealed class DockerTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(20);

    [Fact]
    public void A_missing_Docker_host_is_reported()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var host = $"tcp://{listener.LocalEndpoint}";
        listener.Stop();
        Assert.NotNull(DockerEngine.WhyNot(host, Timeout));
    }

    [Fact]
    public void A_silent_Docker_host_is_not_waited_for()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var reason = DockerEngine.WhyNot($"tcp://{listener.LocalEndpoint}", TimeSpan.FromMilliseconds(200));
        Assert.Contains(reason, new[] { "Docker did not answer within 0.2 s.", "There is no docker on the path." });
    }
}
