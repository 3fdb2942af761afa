using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Npgsql;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>Stands before a server, swallows the first request to cancel and passes on all else.</summary>
internal sealed class CancelProxy : IAsyncDisposable
{
    // https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-CANCELREQUEST
    private const int CancelRequest = 80877102;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly NpgsqlConnectionStringBuilder _server;
    private readonly Task _accepting;
    private int _connections;
    private int _swallowed;

    private CancelProxy(string server)
    {
        _server = new(server);
        _listener.Start();
        _accepting = AcceptAsync();
    }

    internal string ConnectionString => new NpgsqlConnectionStringBuilder(_server.ConnectionString)
    {
        Host = "127.0.0.1",
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port,
        // What is swallowed has to be readable.
        SslMode = SslMode.Disable,
        GssEncryptionMode = GssEncryptionMode.Disable,
    }.ConnectionString;

    /// <summary>Those that were opened, for statements and to cancel.</summary>
    internal int Connections => Volatile.Read(ref _connections);

    internal int Swallowed => Volatile.Read(ref _swallowed);

    internal static CancelProxy Before(string connectionString) => new(connectionString);

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _accepting;
    }

    private async Task AcceptAsync()
    {
        List<Task> passing = [];
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync();
                Interlocked.Increment(ref _connections);
                passing.Add(PassAsync(client));
            }
        }
        catch (SocketException)
        {
            await Task.WhenAll(passing);
        }
    }

    private async Task PassAsync(TcpClient client)
    {
        using var closing = client;
        var first = new byte[8];
        await client.GetStream().ReadExactlyAsync(first);
        var isCancel = BinaryPrimitives.ReadInt32BigEndian(first.AsSpan(4)) == CancelRequest;
        if (isCancel && Interlocked.CompareExchange(ref _swallowed, 1, 0) == 0)
            return;
        using var server = new TcpClient();
        await server.ConnectAsync(_server.Host!, _server.Port);
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
            // One side is gone.
        }
    }
}
