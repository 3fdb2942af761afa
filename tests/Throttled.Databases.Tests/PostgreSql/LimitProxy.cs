using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Npgsql;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>Stands before a server, passes a few connections at a time, and refuses the others in a way of its own, as poolers do.</summary>
internal sealed class LimitProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly NpgsqlConnectionStringBuilder _server;
    private readonly int _most;
    private readonly Func<string> _state;
    private readonly Task _accepting;
    private int _open;
    private int _refused;

    private LimitProxy(string server, int most, Func<string> state)
    {
        (_server, _most, _state) = (new(server), most, state);
        _listener.Start();
        _accepting = AcceptAsync();
    }

    internal int Refused => Volatile.Read(ref _refused);

    internal string ConnectionString => new NpgsqlConnectionStringBuilder(_server.ConnectionString)
    {
        Host = "127.0.0.1",
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port,
        SslMode = SslMode.Disable,
        GssEncryptionMode = GssEncryptionMode.Disable,
    }.ConnectionString;

    internal static LimitProxy Before(string server, int most, string state) => new(server, most, () => state);

    /// <summary>Passes nobody, and needs no server.</summary>
    internal static LimitProxy Alone(Func<string> state) => new("Host=127.0.0.1;Username=nobody;Password=none;Database=nowhere;Pooling=false", 0, state);

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
                passing.Add(QuietlyAsync(PassAsync(await _listener.AcceptTcpClientAsync())));
        }
        catch (SocketException)
        {
            await Task.WhenAll(passing);
        }
    }

    private async Task PassAsync(TcpClient client)
    {
        using var closing = client;
        var stream = client.GetStream();
        try
        {
            if (Interlocked.Increment(ref _open) > _most)
            {
                await RefuseAsync(stream);
                return;
            }
            using var server = new TcpClient();
            await server.ConnectAsync(_server.Host!, _server.Port);
            await Task.WhenAny(QuietlyAsync(stream.CopyToAsync(server.GetStream())), QuietlyAsync(server.GetStream().CopyToAsync(stream)));
        }
        finally
        {
            Interlocked.Decrement(ref _open);
        }
    }

    // https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-ERRORRESPONSE
    private async Task RefuseAsync(NetworkStream stream)
    {
        Interlocked.Increment(ref _refused);
        var length = new byte[4];
        await stream.ReadExactlyAsync(length);
        await stream.ReadExactlyAsync(new byte[BinaryPrimitives.ReadInt32BigEndian(length) - 4]);
        var fields = Encoding.UTF8.GetBytes($"SFATAL\0VFATAL\0C{_state()}\0Mno more connections\0\0");
        var message = new byte[5 + fields.Length];
        message[0] = (byte)'E';
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(1), 4 + fields.Length);
        fields.CopyTo(message, 5);
        await stream.WriteAsync(message);
    }

    private static async Task QuietlyAsync(Task passing)
    {
        try
        {
            await passing;
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException or InvalidOperationException or SocketException)
        {
            // One side is gone.
        }
    }
}
