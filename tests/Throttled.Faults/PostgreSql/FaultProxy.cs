using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Npgsql;

namespace Throttled.Faults.PostgreSql;

/// <summary>A network between reader and server that is broken on purpose: it passes bytes on, or does to them what its settings say.</summary>
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

    /// <summary>What becomes of bytes.</summary>
    internal volatile Traffic Traffic;

    /// <summary>Draws after how many bytes of answers a connection is cut; null where none is.</summary>
    internal volatile Func<int>? CutAfter;

    /// <summary>Draws whether a connection is cut when the answer to a COMMIT comes, which is lost; null where none is.</summary>
    internal volatile Func<bool>? LosesCommit;

    /// <summary>A connection stands still, for ever, once an answer has taken so many of its bytes; null where none does.</summary>
    internal int? StandAfter { get; set; }

    /// <summary>Connections that were cut, by whichever way.</summary>
    internal int Cuts => Volatile.Read(ref _cuts);

    /// <summary>Answers to COMMIT that were lost.</summary>
    internal int LostCommits => Volatile.Read(ref _lostCommits);

    /// <summary>What came over connections that stand, since the last began to.</summary>
    internal int Swallowed => Volatile.Read(ref _swallowed);

    /// <summary>Bytes that went over it slowly.</summary>
    internal long SlowBytes => Interlocked.Read(ref _slowBytes);

    internal static FaultProxy Before(string connectionString) => new(connectionString);

    /// <summary>Ends all connections, by a reset or as if the other side had closed them.</summary>
    internal void CutAll(bool isReset)
    {
        foreach (var each in _open.Keys)
            each.Cut(isReset);
    }

    /// <summary>Nothing passes any more, over what is open now for ever; nobody is told.</summary>
    internal void StandStill()
    {
        Traffic = Traffic.Stands;
        Volatile.Write(ref _swallowed, 0);
        foreach (var each in _open.Keys)
            each.IsDead = true;
    }

    /// <summary>Nobody listens any more, and what was open is closed.</summary>
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
            // It was stopped.
        }
    }

    private async Task PassAsync(ProxiedConnection connection)
    {
        // It is among the open ones before it can end.
        await Task.Yield();
        using (connection)
            await connection.RunAsync(_server.Host!, _server.Port);
        _open.TryRemove(connection, out _);
    }
}

/// <summary>What becomes of bytes on their way.</summary>
internal enum Traffic
{
    /// <summary>They arrive.</summary>
    Flows,

    /// <summary>They arrive at 1 KB/s.</summary>
    Trickles,

    /// <summary>They are lost, and so are those of new connections.</summary>
    Stands,
}
