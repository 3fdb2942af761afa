using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Throttled.Faults.Nodes;

/// <summary>
/// The network between nodes: a TCP proxy before each of them. While a node is isolated, bytes between it and the others wait in the proxy, as packets
/// wait to be sent again, and no connection is made or closed.
/// </summary>
internal sealed class NodeNetwork : IAsyncDisposable
{
    private const int FirstHost = 101;

    private readonly CancellationTokenSource _end = new();
    private readonly ConcurrentBag<Task> _tasks = [];
    private volatile Partition? _partition;
    private int _hosts;

    /// <summary>A new address, to which nodes can connect from now on.</summary>
    internal NodeAddress NewAddress()
    {
        var address = new NodeAddress($"127.0.0.{FirstHost + _hosts++}", LoopbackPort.Choose());
        var listener = new TcpListener(IPAddress.Parse(address.Host), address.Port);
        listener.Start(64);
        _tasks.Add(AcceptAsync(listener, address));
        return address;
    }

    /// <summary>Cuts a node off from all others, until <see cref="Heal"/>.</summary>
    internal void Isolate(NodeAddress node) => _partition = new(node.Host);

    internal void Heal()
    {
        var partition = _partition;
        _partition = null;
        partition?.Healed.TrySetResult();
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        Heal();
        await Task.WhenAll(_tasks);
        _end.Dispose();
    }

    private async Task AcceptAsync(TcpListener listener, NodeAddress to)
    {
        using var stop = _end.Token.Register(listener.Stop);
        await UntilDisconnectedAsync(async () =>
        {
            while (true)
            {
                var client = await listener.AcceptTcpClientAsync();
                _tasks.Add(RunAsync(client, to));
            }
        });
    }

    private async Task RunAsync(TcpClient client, NodeAddress to)
    {
        await Task.Yield();
        using var server = new TcpClient { NoDelay = true };
        using var closed = CancellationTokenSource.CreateLinkedTokenSource(_end.Token);
        using (client)
        {
            client.NoDelay = true;
            await UntilDisconnectedAsync(async () =>
            {
                // The first message of a connection, Associate, has the address of the node that sends it.
                var first = new byte[4096];
                var count = await client.Client.ReceiveAsync(first.AsMemory(), closed.Token);
                var link = new Link(HostIn(first.AsSpan(0, count)), to.Host);
                await PassableAsync(link);
                await server.ConnectAsync(IPAddress.Loopback, to.Port, closed.Token);
                await SendAsync(server, first.AsMemory(0, count), closed.Token);
                await Task.WhenAny(PassAsync(client, server, link, closed.Token), PassAsync(server, client, link, closed.Token));
            });
            await closed.CancelAsync();
        }
    }

    private async Task PassAsync(TcpClient from, TcpClient to, Link link, CancellationToken closed) => await UntilDisconnectedAsync(async () =>
    {
        var buffer = new byte[16384];
        while (true)
        {
            var count = await ReceiveAsync(from, buffer, closed);
            await PassableAsync(link);
            if (count == 0)
                return;
            await SendAsync(to, buffer.AsMemory(0, count), closed);
        }
    });

    // While a node is isolated, the others also do not see that its process has ended.
    private static async Task<int> ReceiveAsync(TcpClient from, byte[] buffer, CancellationToken closed)
    {
        try
        {
            return await from.Client.ReceiveAsync(buffer.AsMemory(), closed);
        }
        catch (SocketException)
        {
            return 0;
        }
    }

    private async Task PassableAsync(Link link)
    {
        while (_partition is { } partition && link.Joins(partition.Host))
            await partition.Healed.Task.WaitAsync(_end.Token);
    }

    private static string HostIn(ReadOnlySpan<byte> bytes)
    {
        var place = bytes.IndexOf("127.0.0."u8);
        return place < 0 ? "" : Encoding.ASCII.GetString(bytes.Slice(place, "127.0.0.101".Length));
    }

    private static async Task SendAsync(TcpClient to, ReadOnlyMemory<byte> bytes, CancellationToken closed)
    {
        while (bytes.Length > 0)
            bytes = bytes[await to.Client.SendAsync(bytes, closed)..];
    }

    private static async Task UntilDisconnectedAsync(Func<Task> work)
    {
        try
        {
            await work();
        }
        catch (Exception error) when (error is SocketException or IOException or ObjectDisposedException or OperationCanceledException or InvalidOperationException)
        {
            // One side has closed the connection, or the test ends.
        }
    }

    private readonly record struct Link(string From, string To)
    {
        internal bool Joins(string host) => From == host || To == host;
    }

    private sealed class Partition(string host)
    {
        internal string Host => host;

        internal TaskCompletionSource Healed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
