using System.Buffers.Binary;
using System.Net.Sockets;
using System.Text;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>Messages of PostgreSQL's protocol. https://www.postgresql.org/docs/current/protocol-message-formats.html</summary>
internal static class Messages
{
    /// <summary>Answers with an error, as a server does.</summary>
    internal static Task RefuseAsync(this NetworkStream client, string severity, string state, string text) =>
        client.SendAsync('E', $"S{severity}\0V{severity}\0C{state}\0M{text}\0\0");

    internal static async Task SendAsync(this NetworkStream stream, char type, string body)
    {
        var fields = Encoding.UTF8.GetBytes(body);
        var message = new byte[5 + fields.Length];
        message[0] = (byte)type;
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(1), 4 + fields.Length);
        fields.CopyTo(message, 5);
        await stream.WriteAsync(message);
    }
}
