using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Npgsql;

namespace Throttled.Faults.PostgreSql;

/// <summary>A network between reader and server that can be broken: it forwards bytes, or changes their traffic by its settings.</summary>
internal sealed class FaultProxy : IAsyncDisposable
{
    private readonly ConcurrentDictionary<ProxiedConnection, Task> _open = new();
    private readonly NpgsqlConnectionStringBuilder _server;
    private readonly int _port;
    private TcpListener _listener;
    private Task _accepting;
    private int _cuts;
    private int _swallowed;
    private int _lostCommits;
    private long _slowBytes;

    private FaultProxy(string server)
    {
        _server = new(server);
        (_listener, _accepting) = Listen(0);
        _port = ((IPEndPoint)_listener.LocalEndpoint).Port;
    }

    /// <summary>How to connect through it.</summary>
    internal string ConnectionString => new NpgsqlConnectionStringBuilder(_server.ConnectionString) { Host = "127.0.0.1", Port = _port }.ConnectionString;

    /// <summary>How bytes are forwarded.</summary>
    internal volatile Traffic Traffic;

    /// <summary>Draws the number of answered bytes after which a connection is cut; null for no cut.</summary>
    internal volatile Func<int>? CutAfter;

    /// <summary>Draws whether a connection is cut at the answer to a COMMIT, which is then lost; null for no cut.</summary>
    internal volatile Func<bool>? LosesCommit;

    /// <summary>A connection stops for ever after this number of bytes of an answer; null for no stop.</summary>
    internal int? StopAfter { get; set; }

    /// <summary>The number of connections that were cut, in any way.</summary>
    internal int Cuts => Volatile.Read(ref _cuts);

    /// <summary>The number of lost answers to COMMIT.</summary>
    internal int LostCommits => Volatile.Read(ref _lostCommits);

    /// <summary>The number of transfers over stopped connections since the last stop.</summary>
    internal int Swallowed => Volatile.Read(ref _swallowed);

    /// <summary>The number of bytes that were forwarded slowly.</summary>
    internal long SlowBytes => Interlocked.Read(ref _slowBytes);

    internal static FaultProxy Before(string connectionString) => new(connectionString);

    /// <summary>Ends all connections, by a reset or as if the other side had closed them.</summary>
    internal void CutAll(bool isReset)
    {
        foreach (var each in _open.Keys)
            each.Cut(isReset);
    }

    /// <summary>Stops all traffic without closing a connection. Connections that are open now stay stopped for ever.</summary>
    internal void StopTraffic()
    {
        Traffic = Traffic.Lost;
        Volatile.Write(ref _swallowed, 0);
        foreach (var each in _open.Keys)
            each.IsDead = true;
    }

    /// <summary>Stops listening, and closes open connections.</summary>
    internal async Task RefuseAsync()
    {
        _listener.Stop();
        await _accepting;
        CutAll(isReset: false);
    }

    /// <summary>Listens again after <see cref="RefuseAsync"/>.</summary>
    internal void Accept() => (_listener, _accepting) = Listen(_port);

    internal void WasCut() => Interlocked.Increment(ref _cuts);

    internal void WasLost() => Interlocked.Increment(ref _lostCommits);

    internal void WasSwallowed() => Interlocked.Increment(ref _swallowed);

    internal void WasSlow(int bytes) => Interlocked.Add(ref _slowBytes, bytes);

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _accepting;
        CutAll(isReset: true);
        await Task.WhenAll(_open.Values);
    }

    private (TcpListener Listener, Task Accepting) Listen(int port)
    {
        var listener = new TcpListener(IPAddress.Loopback, port);
        listener.Server.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        listener.Start(512);
        return (listener, AcceptAsync(listener));
    }

    private async Task AcceptAsync(TcpListener listener)
    {
        try
        {
            while (true)
            {
                var connection = new ProxiedConnection(this, await listener.AcceptTcpClientAsync());
                _open[connection] = PassAsync(connection);
            }
        }
        catch (Exception error) when (error is SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // The listener was stopped.
        }
    }

    private async Task PassAsync(ProxiedConnection connection)
    {
        // The connection must be registered before it can end.
        await Task.Yield();
        using (connection)
            await connection.RunAsync(_server.Host!, _server.Port);
        _open.TryRemove(connection, out _);
    }
}

/// <summary>How bytes are forwarded.</summary>
internal enum Traffic
{
    /// <summary>They arrive.</summary>
    Flows,

    /// <summary>They arrive at 1 KB/s.</summary>
    Slow,

    /// <summary>They are lost, also on new connections.</summary>
    Lost,
}
