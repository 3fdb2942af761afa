using System.Net.Sockets;
using System.Text;

namespace Throttled.Faults.Fleet;

/// <summary>HAProxy before numbered servers. https://docs.haproxy.org/2.6/configuration.html</summary>
internal sealed class HaProxy : ChildProgram
{
    internal const string Program = "haproxy";

    private readonly string _configuration;

    private HaProxy(string idle, int[] ports)
    {
        _configuration = Write(
            "haproxy.cfg",
            [
                "global",
                $"    stats socket {FileOf("control")} mode 600 level admin",
                "defaults",
                "    mode tcp",
                "    timeout connect 2s",
                $"    timeout client {idle}",
                $"    timeout server {idle}",
                "frontend address",
                $"    bind 127.0.0.1:{Port}",
                "    default_backend servers",
                "backend servers",
                "    balance roundrobin",
                "    default-server on-marked-down shutdown-sessions",
                .. ports.Select((port, i) => $"    server s{i} 127.0.0.1:{port}{(i == 0 ? "" : " disabled")}"),
            ]);
    }

    protected override string[] Command => [Find(Program)!, "-db", "-f", _configuration];

    /// <param name="idle">The time without a byte after which it closes a connection, as in <c>1h</c>.</param>
    /// <param name="ports">The ports of the servers. At its start, HAProxy leads to the first.</param>
    internal static async Task<HaProxy> BeforeAsync(string idle, params int[] ports)
    {
        var proxy = new HaProxy(idle, ports);
        try
        {
            await proxy.StartAsync();
            return proxy;
        }
        catch
        {
            proxy.Dispose();
            throw;
        }
    }

    /// <summary>Leads to a server again, like after a passed health check.</summary>
    internal Task UpAsync(int server) => RunAsync($"set server servers/s{server} state ready");

    /// <summary>Stops leading to a server and closes its connections, like after a failed health check.</summary>
    internal Task DownAsync(int server) => RunAsync($"set server servers/s{server} state maint; shutdown sessions server servers/s{server}");

    // https://docs.haproxy.org/2.6/management.html#9.3
    private async Task RunAsync(string commands)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(FileOf("control")));
        await socket.SendAsync(Encoding.ASCII.GetBytes(commands + "\n"));
        var answer = new byte[4096];
        var text = new StringBuilder();
        while (await socket.ReceiveAsync(answer) is var count and > 0)
            text.Append(Encoding.ASCII.GetString(answer, 0, count));
        if (text.ToString().Trim() is { Length: > 0 } complaint)
            throw new InvalidOperationException($"HAProxy refuses '{commands}': {complaint}");
    }
}
