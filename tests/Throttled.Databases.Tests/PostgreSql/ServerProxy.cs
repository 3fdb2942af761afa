using System.Net;
using System.Net.Sockets;
using Npgsql;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>A proxy in front of a server. Each subclass decides what it does with a connection.</summary>
internal abstract class ServerProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly NpgsqlConnectionStringBuilder _server;
    private Task _accepting = Task.CompletedTask;

    protected ServerProxy(string server)
    {
        _server = new(server);
        _listener.Start();
    }

    internal string ConnectionString => new NpgsqlConnectionStringBuilder(_server.ConnectionString)
    {
        Host = "127.0.0.1",
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port,
        // The proxy reads the traffic, so it must not be encrypted.
        SslMode = SslMode.Disable,
        GssEncryptionMode = GssEncryptionMode.Disable,
    }.ConnectionString;

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _accepting;
    }

    /// <summary>Serves one connection. The caller closes it.</summary>
    protected abstract Task PassAsync(NetworkStream client);

    /// <summary>Begins to accept connections. Subclasses call it at the end of their constructors.</summary>
    protected void Accept() => _accepting = AcceptAsync();

    protected async Task<TcpClient> ConnectAsync()
    {
        var server = new TcpClient();
        await server.ConnectAsync(_server.Host!, _server.Port);
        return server;
    }

    /// <summary>Passes everything in both directions until one side closes.</summary>
    protected static Task CopyAsync(NetworkStream client, NetworkStream server) => UntilOneEndsAsync(client.CopyToAsync(server), server.CopyToAsync(client));

    protected static Task UntilOneEndsAsync(Task up, Task down) => Task.WhenAny(QuietlyAsync(up), QuietlyAsync(down));

    private async Task AcceptAsync()
    {
        List<Task> passing = [];
        try
        {
            while (true)
                passing.Add(QuietlyAsync(PassAsync(await _listener.AcceptTcpClientAsync())));
        }
        catch (Exception error) when (error is SocketException or InvalidOperationException)
        {
            // The listener was stopped, during the call or before it.
            await Task.WhenAll(passing);
        }
    }

    private async Task PassAsync(TcpClient client)
    {
        using (client)
            await PassAsync(client.GetStream());
    }

    private static async Task QuietlyAsync(Task passing)
    {
        try
        {
            await passing;
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException or InvalidOperationException or SocketException)
        {
            // One side has closed.
        }
    }
}
