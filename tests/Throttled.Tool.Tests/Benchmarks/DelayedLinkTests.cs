using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Npgsql;
using Throttled.Benchmarks.Links;

namespace Throttled.Tool.Tests.Benchmarks;

/// <summary>The proxy with which the benchmarks move a server away.</summary>
public sealed class DelayedLinkTests : IDisposable
{
    private readonly TcpListener _server = new(IPAddress.Loopback, 0);

    public DelayedLinkTests() => _server.Start();

    [Fact]
    public async Task All_bytes_arrive_in_order_and_never_before_the_delay_of_both_ways()
    {
        var delay = TimeSpan.FromMilliseconds(20);
        var echoing = EchoAsync();
        await using var link = new DelayedLink($"Host=127.0.0.1;Port={((IPEndPoint)_server.LocalEndpoint).Port}", delay);
        using var client = new TcpClient();
        var there = new NpgsqlConnectionStringBuilder(link.ConnectionString);
        await client.ConnectAsync(there.Host!, there.Port);
        // More than one piece of the link.
        var sent = new byte[300_000];
        new Random(1).NextBytes(sent);
        var received = new byte[sent.Length];

        var watch = Stopwatch.StartNew();
        var sending = client.GetStream().WriteAsync(sent).AsTask();
        await client.GetStream().ReadExactlyAsync(received.AsMemory(0, 1));
        var first = watch.Elapsed;
        await client.GetStream().ReadExactlyAsync(received.AsMemory(1));
        await sending;

        Assert.Equal(sent, received);
        Assert.True(first >= 2 * delay, $"The first byte came back after {first}.");
        client.Close();
        await echoing;
    }

    public void Dispose() => _server.Dispose();

    private async Task EchoAsync()
    {
        using var client = await _server.AcceptTcpClientAsync();
        await client.GetStream().CopyToAsync(client.GetStream());
    }
}
