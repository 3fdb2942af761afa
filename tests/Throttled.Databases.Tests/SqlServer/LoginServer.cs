using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Throttled.Journal.SqlServer.Tests;

/// <summary>
/// The part of a server that accepts and refuses logins. With it the driver itself creates the errors, which have no public constructor.
/// The protocol: https://learn.microsoft.com/openspecs/windows_protocols/ms-tds
/// </summary>
internal sealed class LoginServer : IDisposable
{
    private const byte NoEncryption = 2;

    // Version 16, followed by its encryption.
    private static readonly byte[] Prelogin = [0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xFF, 16, 0, 0, 0, 0, 0, NoEncryption];
    private static readonly byte[] Failed = [0xFD, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    private static readonly byte[] Done = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    private static readonly byte[] Acknowledged = [0xAD, 10, 0, 1, 0x74, 0, 0, 4, 0, 16, 0, 0, 0];

    // The authority and the resource of the token: both 'x'.
    private static readonly byte[] TokenWanted = [0xEE, 24, 0, 0, 0, 2, 0, 0, 0, 1, 2, 0, 0, 0, 22, 0, 0, 0, 2, 2, 0, 0, 0, 22, 0, 0, 0, (byte)'x', 0];

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly byte[]? _answer;

    private LoginServer(byte[]? answer)
    {
        _answer = answer;
        _listener.Start();
        _ = AcceptAsync();
    }

    /// <summary>Clients that get no answer time out after one second.</summary>
    internal string ConnectionString =>
        $"Server=127.0.0.1,{((IPEndPoint)_listener.LocalEndpoint).Port};User ID=a;Password=b;Encrypt=Optional;Connect Timeout={(_answer is null ? 1 : 30)};Connect Retry Count=0";

    /// <summary>Never answers.</summary>
    internal static LoginServer Silent() => new(answer: null);

    /// <summary>Accepts every login.</summary>
    internal static LoginServer Open() => new([.. Acknowledged, .. Done]);

    /// <summary>Accepts only logins with a token of Microsoft Entra.</summary>
    internal static LoginServer AskingForTokens() => new(TokenWanted);

    /// <summary>Answers a login with errors.</summary>
    internal static LoginServer Refusing(params (int Number, byte Severity, string Text)[] errors) =>
        new([.. errors.SelectMany(one => Error(one.Number, one.Severity, one.Text)), .. Failed]);

    public void Dispose()
    {
        _stop.Cancel();
        _listener.Dispose();
        _stop.Dispose();
    }

    private static byte[] Error(int number, byte severity, string text)
    {
        byte[] body = [.. BitConverter.GetBytes(number), 1, severity, .. BitConverter.GetBytes((ushort)text.Length), .. Encoding.Unicode.GetBytes(text), 0, 0, 1, 0, 0, 0];
        return [0xAA, .. BitConverter.GetBytes((ushort)body.Length), .. body];
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
                _ = ServeAsync(await _listener.AcceptTcpClientAsync(_stop.Token));
        }
        catch (Exception) when (_stop.IsCancellationRequested)
        {
            // The server was disposed.
        }
    }

    private async Task ServeAsync(TcpClient client)
    {
        using var closing = client;
        var stream = client.GetStream();
        var asked = new byte[4096];
        try
        {
            for (var answer = Prelogin; _answer is not null && await stream.ReadAsync(asked, _stop.Token) > 0; answer = _answer)
                await stream.WriteAsync(Packet(answer), _stop.Token);
            // Until the client leaves.
            while (await stream.ReadAsync(asked, _stop.Token) > 0)
            {
            }
        }
        catch (Exception error) when (error is IOException or OperationCanceledException)
        {
            // The client or the test has left.
        }
    }

    // Big endian, with the header included.
    private static byte[] Packet(byte[] tokens) => [4, 1, (byte)((tokens.Length + 8) >> 8), (byte)(tokens.Length + 8), 0, 0, 1, 0, .. tokens];
}
