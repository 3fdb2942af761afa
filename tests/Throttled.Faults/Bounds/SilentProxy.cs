using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Data.Common;
using System.Net;
using System.Net.Sockets;

namespace Throttled.Faults.Bounds;

/// <summary>
/// A proxy before a server. While it is silent, it accepts new connections and never answers them. It forwards requests to cancel.
/// </summary>
internal sealed class SilentProxy : IAsyncDisposable
{
    // https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-CANCELREQUEST
    private const int CancelRequest = 80877102;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentBag<TcpClient> _silenced = [];
    private readonly ConcurrentBag<Task> _passing = [];
    private readonly int _port;
    private readonly Task _accepting;
    private volatile bool _isSilent;

    private SilentProxy(int port)
    {
        _port = port;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    /// <summary>The number of connections that it does not answer.</summary>
    internal int Silenced => _silenced.Count;

    internal static SilentProxy Before(DbConnection server) => new(
        Convert.ToInt32(new DbConnectionStringBuilder { ConnectionString = server.ConnectionString }["Port"], null));

    /// <summary>A connection string that leads to this proxy.</summary>
    internal string Redirect(string connectionString) => new DbConnectionStringBuilder
    {
        ConnectionString = connectionString,
        ["Port"] = ((IPEndPoint)_listener.LocalEndpoint).Port,
        // The proxy must be able to read the bytes, so they must not be encrypted.
        ["SSL Mode"] = "Disable",
        ["GSS Encryption Mode"] = "Disable",
    }.ConnectionString;

    internal void BeSilent() => _isSilent = true;

    /// <summary>Serves new connections again, and closes the unanswered ones.</summary>
    internal void Speak()
    {
        _isSilent = false;
        while (_silenced.TryTake(out var client))
            client.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _accepting;
        await Task.WhenAll(_passing);
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync();
                _passing.Add(TakeAsync(client));
            }
        }
        catch (Exception error) when (error is SocketException or InvalidOperationException)
        {
            // The listener was stopped, during the call or before it.
        }
    }

    private async Task TakeAsync(TcpClient client)
    {
        var first = new byte[8];
        try
        {
            await client.GetStream().ReadExactlyAsync(first);
        }
        catch (IOException)
        {
            client.Dispose();
            return;
        }
        if (_isSilent && BinaryPrimitives.ReadInt32BigEndian(first.AsSpan(4)) != CancelRequest)
            _silenced.Add(client);
        else
            await PassAsync(client, first);
    }

    private async Task PassAsync(TcpClient client, byte[] first)
    {
        using var closing = client;
        using var server = new TcpClient();
        await server.ConnectAsync(IPAddress.Loopback, _port);
        await server.GetStream().WriteAsync(first);
        await Task.WhenAny(CopyAsync(client, server), CopyAsync(server, client));
    }

    private static async Task CopyAsync(TcpClient from, TcpClient to)
    {
        try
        {
            await from.GetStream().CopyToAsync(to.GetStream());
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // One side has closed the connection.
        }
    }
}
