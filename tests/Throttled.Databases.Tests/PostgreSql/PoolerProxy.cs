using System.Net;
using System.Net.Sockets;
using Npgsql;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>Stands before a server and tells its clients process ids of its own making, as poolers do. All else passes.</summary>
internal sealed class PoolerProxy : IAsyncDisposable
{
    private const byte BackendKeyData = (byte)'K';

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly NpgsqlConnectionStringBuilder _server;
    private readonly Task _accepting;

    private PoolerProxy(string server)
    {
        _server = new(server);
        _listener.Start();
        _accepting = AcceptAsync();
    }

    internal string ConnectionString => new NpgsqlConnectionStringBuilder(_server.ConnectionString)
    {
        Host = "127.0.0.1",
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port,
        SslMode = SslMode.Disable,
        GssEncryptionMode = GssEncryptionMode.Disable,
    }.ConnectionString;

    internal static PoolerProxy Before(string connectionString) => new(connectionString);

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
                passing.Add(PassAsync(await _listener.AcceptTcpClientAsync()));
        }
        catch (SocketException)
        {
            await Task.WhenAll(passing);
        }
    }

    private async Task PassAsync(TcpClient client)
    {
        using var closing = client;
        using var server = new TcpClient();
        await server.ConnectAsync(_server.Host!, _server.Port);
        await Task.WhenAny(QuietlyAsync(client.GetStream().CopyToAsync(server.GetStream())), QuietlyAsync(AnswerAsync(server.GetStream(), client.GetStream())));
    }

    // Message by message to the one that names the process: a type, a length that counts itself, and the rest.
    // https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-BACKENDKEYDATA
    private static async Task AnswerAsync(NetworkStream server, NetworkStream client)
    {
        var head = new byte[5];
        do
        {
            await server.ReadExactlyAsync(head);
            var body = new byte[System.Buffers.Binary.BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(1)) - 4];
            await server.ReadExactlyAsync(body);
            if (head[0] == BackendKeyData)
                body[0] ^= 1;
            await client.WriteAsync(head);
            await client.WriteAsync(body);
        }
        while (head[0] != BackendKeyData);
        await server.CopyToAsync(client);
    }

    private static async Task QuietlyAsync(Task passing)
    {
        try
        {
            await passing;
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // One side is gone.
        }
    }
}
