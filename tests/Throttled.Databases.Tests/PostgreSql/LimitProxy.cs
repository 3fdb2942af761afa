using System.Buffers.Binary;
using System.Net.Sockets;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>Passes a few connections at a time, and refuses the others with an error of its own, as poolers do.</summary>
internal sealed class LimitProxy : ServerProxy
{
    private readonly int _most;
    private readonly Func<string> _state;
    private int _open;
    private int _refused;

    private LimitProxy(string server, int most, Func<string> state)
        : base(server)
    {
        (_most, _state) = (most, state);
        Accept();
    }

    internal int Refused => Volatile.Read(ref _refused);

    internal static LimitProxy Before(string server, int most, string state) => new(server, most, () => state);

    /// <summary>Passes no connection, and needs no server.</summary>
    internal static LimitProxy Alone(Func<string> state) => new("Host=127.0.0.1;Username=nobody;Password=none;Database=nowhere;Pooling=false", 0, state);

    protected override async Task PassAsync(NetworkStream client)
    {
        try
        {
            if (Interlocked.Increment(ref _open) > _most)
            {
                await RefuseAsync(client);
                return;
            }
            using var server = await ConnectAsync();
            await CopyAsync(client, server.GetStream());
        }
        finally
        {
            Interlocked.Decrement(ref _open);
        }
    }

    private async Task RefuseAsync(NetworkStream client)
    {
        Interlocked.Increment(ref _refused);
        var length = new byte[4];
        await client.ReadExactlyAsync(length);
        await client.ReadExactlyAsync(new byte[BinaryPrimitives.ReadInt32BigEndian(length) - 4]);
        await client.RefuseAsync("FATAL", _state(), "no more connections");
    }
}
