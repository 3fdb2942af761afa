using System.Net;
using System.Net.Sockets;
using Npgsql;

namespace Throttled.Faults.Rewound;

/// <summary>
/// A proxy before servers that replace each other, like a virtual address. It leads to one of them at a time, or to several in turn.
/// </summary>
internal sealed class ServerSwitch : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly List<TcpClient> _clients = [];
    private readonly Task _accepting;
    private int[] _ports;
    private int _accepted;

    internal ServerSwitch(params int[] ports)
    {
        _ports = ports;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    /// <summary>The connection string through the switch.</summary>
    internal string Through(string connectionString) => new NpgsqlConnectionStringBuilder(connectionString)
    {
        Host = "127.0.0.1",
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port,
    }.ConnectionString;

    /// <summary>Leads to other servers from now on, and closes existing connections.</summary>
    internal void To(params int[] ports)
    {
        lock (_clients)
        {
            _ports = ports;
            _clients.ForEach(client => client.Dispose());
            _clients.Clear();
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        To([0]);
        await _accepting;
    }

    private async Task AcceptAsync()
    {
        List<Task> passing = [];
        try
        {
            while (true)
                passing.Add(PassAsync(await _listener.AcceptTcpClientAsync()));
        }
        catch (Exception error) when (error is SocketException or InvalidOperationException)
        {
            // The listener was stopped, during the call or before it.
            await Task.WhenAll(passing);
        }
    }

    private async Task PassAsync(TcpClient client)
    {
        using var closing = client;
        using var server = new TcpClient();
        try
        {
            int port;
            lock (_clients)
            {
                port = _ports[_accepted++ % _ports.Length];
                _clients.AddRange([client, server]);
            }
            await server.ConnectAsync(IPAddress.Loopback, port);
            var (there, back) = (client.GetStream(), server.GetStream());
            await Task.WhenAny(there.CopyToAsync(back), back.CopyToAsync(there));
        }
        catch (Exception error) when (error is SocketException or IOException or ObjectDisposedException or InvalidOperationException)
        {
            // The server is down, or the connections were closed.
        }
    }
}
