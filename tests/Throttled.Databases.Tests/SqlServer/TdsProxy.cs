using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Microsoft.Data.SqlClient;

namespace Throttled.Journal.SqlServer.Tests;

/// <summary>A network between reader and server. It passes all bytes, except that it can lose cancel requests or everything.</summary>
internal sealed class TdsProxy : IAsyncDisposable
{
    // A packet with only a header: https://learn.microsoft.com/openspecs/windows_protocols/ms-tds/dc28579f-49b1-4a78-9c5f-63fbda002d2e
    private const byte Attention = 6;
    private const int Header = 8;
    private const int DefaultPort = 1433;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentBag<Passage> _passages = [];
    private readonly SqlConnectionStringBuilder _server;
    private readonly Task _accepting;
    private int _attentions;
    private int _lost;

    private TdsProxy(string server)
    {
        _server = new(server);
        _listener.Start();
        _accepting = AcceptAsync();
    }

    /// <summary>The connection string through the proxy.</summary>
    internal string ConnectionString => new SqlConnectionStringBuilder(_server.ConnectionString)
    {
        DataSource = FormattableString.Invariant($"127.0.0.1,{((IPEndPoint)_listener.LocalEndpoint).Port}"),
        // The proxy reads the traffic, so it must not be encrypted.
        Encrypt = SqlConnectionEncryptOption.Optional,
    }.ConnectionString;

    /// <summary>Whether cancel requests are lost.</summary>
    internal bool LosesAttentions { get; set; }

    /// <summary>The number of cancel requests.</summary>
    internal int Attentions => Volatile.Read(ref _attentions);

    /// <summary>The number of pieces of traffic that were lost on open connections.</summary>
    internal int Lost => Volatile.Read(ref _lost);

    internal static TdsProxy Before(string connectionString) => new(connectionString);

    /// <summary>Loses all traffic of the connections that are open now, without closing them. Later connections work.</summary>
    internal void StandStill()
    {
        foreach (var each in _passages)
            each.Stands = true;
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _accepting;
        foreach (var each in _passages)
            each.Dispose();
        await Task.WhenAll(_passages.Select(each => each.Passing));
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
                _passages.Add(Passage.Of(this, await _listener.AcceptTcpClientAsync()));
        }
        catch (Exception error) when (error is SocketException or InvalidOperationException)
        {
            // The proxy was stopped.
        }
    }

    private (string Host, int Port) Server()
    {
        var parts = _server.DataSource.Replace("tcp:", "", StringComparison.OrdinalIgnoreCase).Split(',');
        return (parts[0] is "." or "(local)" ? "127.0.0.1" : parts[0], parts.Length > 1 ? int.Parse(parts[1], CultureInfo.InvariantCulture) : DefaultPort);
    }

    private bool Passes(Passage passage, ReadOnlySpan<byte> bytes, bool isRequest)
    {
        if (passage.Stands)
        {
            Interlocked.Increment(ref _lost);
            return false;
        }
        if (!isRequest || bytes.Length != Header || bytes[0] != Attention)
            return true;
        Interlocked.Increment(ref _attentions);
        return !LosesAttentions;
    }

    /// <summary>A connection of a client and the one to the server.</summary>
    private sealed class Passage : IDisposable
    {
        private readonly TdsProxy _proxy;
        private readonly TcpClient _client;
        private readonly TcpClient _server = new();

        private Passage(TdsProxy proxy, TcpClient client) => (_proxy, _client) = (proxy, client);

        internal Task Passing { get; private set; } = Task.CompletedTask;

        internal volatile bool Stands;

        internal static Passage Of(TdsProxy proxy, TcpClient client)
        {
            var passage = new Passage(proxy, client);
            passage.Passing = passage.PassAsync();
            return passage;
        }

        public void Dispose()
        {
            _client.Dispose();
            _server.Dispose();
        }

        private async Task PassAsync()
        {
            var (host, port) = _proxy.Server();
            await _server.ConnectAsync(host, port);
            await Task.WhenAll(CopyAsync(_client, _server, isRequest: true), CopyAsync(_server, _client, isRequest: false));
        }

        private async Task CopyAsync(TcpClient from, TcpClient to, bool isRequest)
        {
            var bytes = new byte[1 << 16];
            try
            {
                var (source, target) = (from.GetStream(), to.GetStream());
                while (await source.ReadAsync(bytes) is > 0 and var count)
                {
                    if (_proxy.Passes(this, bytes.AsSpan(0, count), isRequest))
                        await target.WriteAsync(bytes.AsMemory(0, count));
                }
            }
            catch (Exception error) when (error is IOException or ObjectDisposedException or InvalidOperationException)
            {
                // One side has closed.
            }
            // A connection that loses its traffic never learns that the other side closed.
            if (!Stands)
                Dispose();
        }
    }
}
