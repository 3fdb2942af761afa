using System.Buffers.Binary;
using System.Net.Sockets;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>Gives its clients process ids of its own, as poolers do. Everything else passes.</summary>
internal sealed class PoolerProxy : ServerProxy
{
    private const byte BackendKeyData = (byte)'K';

    private PoolerProxy(string server)
        : base(server) => Accept();

    internal static PoolerProxy Before(string connectionString) => new(connectionString);

    protected override async Task PassAsync(NetworkStream client)
    {
        using var server = await ConnectAsync();
        await UntilOneEndsAsync(client.CopyToAsync(server.GetStream()), AnswerAsync(server.GetStream(), client));
    }

    // Reads messages up to the one with the process id. A message is a type, a length that counts itself, and the rest.
    // https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-BACKENDKEYDATA
    private static async Task AnswerAsync(NetworkStream server, NetworkStream client)
    {
        var header = new byte[5];
        do
        {
            await server.ReadExactlyAsync(header);
            var body = new byte[BinaryPrimitives.ReadInt32BigEndian(header.AsSpan(1)) - 4];
            await server.ReadExactlyAsync(body);
            if (header[0] == BackendKeyData)
                body[0] ^= 1;
            await client.WriteAsync(header);
            await client.WriteAsync(body);
        }
        while (header[0] != BackendKeyData);
        await server.CopyToAsync(client);
    }
}
