using System.Net;
using System.Net.Sockets;

namespace Throttled.Testing;

/// <summary>
/// Free ports on the loopback interface for servers that start later. They lie below the ports that operating systems give to clients (Linux: from
/// 32768; IANA, RFC 6335: from 49152), so that no client takes a port before its server starts, or while it is restarted.
/// </summary>
public static class LoopbackPort
{
    private const int First = 12_000;
    private const int End = 32_000;

    private static readonly HashSet<int> Chosen = [];

    /// <summary>A port that nothing listens on. Each call in this process returns another one. Thread-safe.</summary>
    public static int Choose()
    {
        lock (Chosen)
        {
            while (true)
            {
                // Random, because other processes choose ports at the same time.
                var port = Random.Shared.Next(First, End);
                if (IsFree(port) && Chosen.Add(port))
                    return port;
            }
        }
    }

    private static bool IsFree(int port)
    {
        try
        {
            using var listener = new TcpListener(IPAddress.Loopback, port);
            listener.Start();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
