using System.Buffers.Binary;
using System.Net.Sockets;
using System.Text;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>Refuses the first ROLLBACK, like a server whose statement_timeout is too short for it. Everything else passes.</summary>
internal sealed class RollbackProxy : ServerProxy
{
    private int _refused;

    private RollbackProxy(string server)
        : base(server) => Accept();

    internal int Refused => Volatile.Read(ref _refused);

    internal static RollbackProxy Before(string connectionString) => new(connectionString);

    protected override async Task PassAsync(NetworkStream client)
    {
        using var server = await ConnectAsync();
        await UntilOneEndsAsync(AskAsync(client, server.GetStream()), server.GetStream().CopyToAsync(client));
    }

    // The first message has no type.
    private async Task AskAsync(NetworkStream client, NetworkStream server)
    {
        for (var header = new byte[4]; ; header = new byte[5])
        {
            await client.ReadExactlyAsync(header);
            var body = new byte[BinaryPrimitives.ReadInt32BigEndian(header.AsSpan(header.Length - 4)) - 4];
            await client.ReadExactlyAsync(body);
            if (header[0] == 'Q' && Encoding.UTF8.GetString(body).StartsWith("ROLLBACK", StringComparison.Ordinal)
                && Interlocked.CompareExchange(ref _refused, 1, 0) == 0)
            {
                await client.RefuseAsync("ERROR", "57014", "canceling statement due to statement timeout");
                // The transaction stays open in the failed state.
                await client.SendAsync('Z', "E");
                continue;
            }
            await server.WriteAsync(header);
            await server.WriteAsync(body);
        }
    }
}
