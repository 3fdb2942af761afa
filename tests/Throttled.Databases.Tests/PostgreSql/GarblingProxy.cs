using System.Buffers.Binary;
using System.Net.Sockets;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>On request it ends a session in the middle of a row, with an error in the place of the rest, as PgBouncer does.</summary>
internal sealed class GarblingProxy : ServerProxy
{
    private int _isToGarble;
    private int _garbled;

    private GarblingProxy(string server)
        : base(server) => Accept();

    internal int Garbled => Volatile.Read(ref _garbled);

    internal static GarblingProxy Before(string connectionString) => new(connectionString);

    /// <summary>Garbles the next row.</summary>
    internal void Garble() => Volatile.Write(ref _isToGarble, 1);

    protected override async Task PassAsync(NetworkStream client)
    {
        using var server = await ConnectAsync();
        await UntilOneEndsAsync(client.CopyToAsync(server.GetStream()), AnswerAsync(server.GetStream(), client));
    }

    // https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-DATAROW
    private async Task AnswerAsync(NetworkStream server, NetworkStream client)
    {
        var header = new byte[5];
        while (true)
        {
            await server.ReadExactlyAsync(header);
            var body = new byte[BinaryPrimitives.ReadInt32BigEndian(header.AsSpan(1)) - 4];
            await server.ReadExactlyAsync(body);
            await client.WriteAsync(header);
            if (header[0] == 'D' && Interlocked.Exchange(ref _isToGarble, 0) == 1)
            {
                Interlocked.Increment(ref _garbled);
                await client.WriteAsync(body.AsMemory(0, 1));
                await client.RefuseAsync("FATAL", "08P01", "the session is ended by its pooler");
                return;
            }
            await client.WriteAsync(body);
        }
    }
}
