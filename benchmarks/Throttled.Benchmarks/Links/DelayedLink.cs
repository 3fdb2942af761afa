using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;
using Npgsql;

namespace Throttled.Benchmarks.Links;

/// <summary>
/// A proxy to a PostgreSQL server on this machine. All bytes arrive some time later, in both directions, in their order and without a limit on their
/// rate, as over a longer cable. A timer may be a millisecond late, so measure the round trip.
/// </summary>
internal sealed class DelayedLink : IAsyncDisposable
{
    private const int Piece = 64 * 1024;
    private const int MostPieces = 256;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _end = new();
    private readonly NpgsqlConnectionStringBuilder _server;
    private readonly TimeSpan _delay;
    private readonly Task _accepting;

    /// <param name="server">The server's connection string.</param>
    /// <param name="delay">The delay in each direction.</param>
    internal DelayedLink(string server, TimeSpan delay)
    {
        (_server, _delay) = (new(server), delay);
        _listener.Start();
        _accepting = AcceptAsync();
    }

    /// <summary>The connection string through this link.</summary>
    internal string ConnectionString => new NpgsqlConnectionStringBuilder(_server.ConnectionString)
    {
        Host = "127.0.0.1",
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port,
        SslMode = SslMode.Disable,
        GssEncryptionMode = GssEncryptionMode.Disable,
    }.ConnectionString;

    /// <summary>Measures the time of the shortest statement, in milliseconds; the median of fifty.</summary>
    internal async Task<double> RoundTripAsync()
    {
        await using var open = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(ConnectionString) { Pooling = false }.ConnectionString);
        await open.OpenAsync();
        await using var command = new NpgsqlCommand("SELECT 1", open);
        List<double> times = [];
        for (var i = 0; i < 50; i++)
        {
            var watch = Stopwatch.StartNew();
            await command.ExecuteScalarAsync();
            times.Add(watch.Elapsed.TotalMilliseconds);
        }
        return Figures.Median(times);
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        _listener.Stop();
        await _accepting;
        _end.Dispose();
    }

    private async Task AcceptAsync()
    {
        List<Task> passing = [];
        try
        {
            while (true)
                passing.Add(QuietlyAsync(PassAsync(await _listener.AcceptTcpClientAsync(_end.Token))));
        }
        catch (OperationCanceledException)
        {
            await Task.WhenAll(passing);
        }
    }

    private async Task PassAsync(TcpClient client)
    {
        using (client)
        {
            using var server = new TcpClient();
            await server.ConnectAsync(_server.Host!, _server.Port, _end.Token);
            client.NoDelay = server.NoDelay = true;
            var (up, down) = (QuietlyAsync(CopyAsync(client.GetStream(), server.GetStream())), QuietlyAsync(CopyAsync(server.GetStream(), client.GetStream())));
            await await Task.WhenAny(up, down);
        }
    }

    private async Task CopyAsync(NetworkStream from, NetworkStream to)
    {
        var way = Channel.CreateBounded<(long Sent, byte[] Bytes)>(new BoundedChannelOptions(MostPieces) { SingleReader = true, SingleWriter = true });
        var arriving = ArriveAsync(way.Reader, to);
        var buffer = new byte[Piece];
        for (var count = 1; count > 0 && !arriving.IsCompleted;)
        {
            count = await from.ReadAsync(buffer, _end.Token);
            await way.Writer.WriteAsync((Stopwatch.GetTimestamp(), buffer[..count]), _end.Token);
        }
        way.Writer.Complete();
        await arriving;
    }

    // A delay is rounded up to whole milliseconds, because a timer rounds down: bytes never arrive early.
    private async Task ArriveAsync(ChannelReader<(long Sent, byte[] Bytes)> way, NetworkStream to)
    {
        await foreach (var (sent, bytes) in way.ReadAllAsync(_end.Token))
        {
            var left = _delay - Stopwatch.GetElapsedTime(sent);
            if (left > TimeSpan.Zero)
                await Task.Delay(TimeSpan.FromMilliseconds(Math.Ceiling(left.TotalMilliseconds)), _end.Token);
            await to.WriteAsync(bytes, _end.Token);
        }
    }

    private static async Task QuietlyAsync(Task passing)
    {
        try
        {
            await passing;
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException or InvalidOperationException or SocketException or OperationCanceledException)
        {
            // One side has closed, or the link ends.
        }
    }
}
