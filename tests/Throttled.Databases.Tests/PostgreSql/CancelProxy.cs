using System.Buffers.Binary;
using System.Net.Sockets;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>Drops the first cancel request and passes everything else.</summary>
internal sealed class CancelProxy : ServerProxy
{
    // https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-CANCELREQUEST
    private const int CancelRequest = 80877102;

    private int _connections;
    private int _swallowed;

    private CancelProxy(string server)
        : base(server) => Accept();

    /// <summary>The connections that were opened, for statements and for cancel requests.</summary>
    internal int Connections => Volatile.Read(ref _connections);

    internal int Swallowed => Volatile.Read(ref _swallowed);

    internal static CancelProxy Before(string connectionString) => new(connectionString);

    protected override async Task PassAsync(NetworkStream client)
    {
        Interlocked.Increment(ref _connections);
        var first = new byte[8];
        await client.ReadExactlyAsync(first);
        var isCancel = BinaryPrimitives.ReadInt32BigEndian(first.AsSpan(4)) == CancelRequest;
        if (isCancel && Interlocked.CompareExchange(ref _swallowed, 1, 0) == 0)
            return;
        using var server = await ConnectAsync();
        await server.GetStream().WriteAsync(first);
        await CopyAsync(client, server.GetStream());
    }
}
