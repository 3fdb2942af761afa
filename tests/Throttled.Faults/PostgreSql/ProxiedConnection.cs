using System.Net.Sockets;

namespace Throttled.Faults.PostgreSql;

/// <summary>One connection over a <see cref="FaultProxy"/>.</summary>
internal sealed class ProxiedConnection(FaultProxy proxy, TcpClient client) : IDisposable
{
    private const int SlowBytesPerSecond = 1024;

    private readonly CancellationTokenSource _cut = new();
    // A small buffer: bytes that the proxy does not read soon block the server.
    private readonly TcpClient _server = new() { ReceiveBufferSize = 4096, NoDelay = true };
    private int? _untilCut;
    private bool _isReset;
    private int _cuts;
    private long _answered;
    private volatile bool _losesAnswer;

    /// <summary>Whether no byte is forwarded any more although both ends are open.</summary>
    internal volatile bool IsDead;

    /// <summary>Closes both ends: by a reset, or by the end of the stream.</summary>
    internal void Cut(bool isReset)
    {
        if (Interlocked.Exchange(ref _cuts, 1) != 0)
            return;
        _isReset = isReset;
        proxy.WasCut();
        _cut.Cancel();
    }

    /// <summary>Forwards bytes until one side closes the connection or it is cut.</summary>
    internal async Task RunAsync(string host, int port)
    {
        client.NoDelay = true;
        await IgnoreDisconnectAsync(async () =>
        {
            if (proxy.Traffic == Traffic.Lost)
                await UntilCutAsync();
            await _server.ConnectAsync(host, port, _cut.Token);
        });
        if (!_server.Connected)
            return;
        var (there, back) = (IgnoreDisconnectAsync(() => PassAsync(client, _server, isAnswer: false)), IgnoreDisconnectAsync(() => PassAsync(_server, client, isAnswer: true)));
        await Task.WhenAny(there, back);
        // A close by one side is not forwarded either.
        if (IsDead)
            await IgnoreDisconnectAsync(UntilCutAsync);
        await _cut.CancelAsync();
        await Task.WhenAll(there, back);
    }

    public void Dispose()
    {
        foreach (var side in new[] { client, _server })
        {
            if (_isReset && side.Client is { } socket)
                socket.LingerState = new(true, 0);
            side.Dispose();
        }
    }

    private static async Task IgnoreDisconnectAsync(Func<Task> work)
    {
        try
        {
            await work();
        }
        catch (Exception error) when (error is SocketException or IOException or ObjectDisposedException or OperationCanceledException)
        {
            // One side has closed the connection, or it was cut.
        }
    }

    private async Task PassAsync(TcpClient from, TcpClient to, bool isAnswer)
    {
        var buffer = new byte[8192];
        while (await from.Client.ReceiveAsync(buffer.AsMemory(0, proxy.Traffic == Traffic.Slow ? 128 : buffer.Length), _cut.Token) is var count and > 0)
        {
            await PauseAsync(count);
            if (IsLost(buffer.AsSpan(0, count), isAnswer))
                return;
            _answered += isAnswer ? count : 0;
            if (IsDead |= _answered > proxy.StopAfter)
                await SwallowAsync();
            var passed = isAnswer ? Pass(count) : count;
            await SendAsync(to, buffer.AsMemory(0, passed));
            if (passed < count)
            {
                Cut(isReset: passed % 2 == 0);
                return;
            }
        }
    }

    // The driver sends COMMIT alone, when all earlier statements are answered.
    private bool IsLost(ReadOnlySpan<byte> bytes, bool isAnswer)
    {
        if (!isAnswer)
            _losesAnswer |= proxy.LosesCommit is { } draw && bytes.IndexOf("COMMIT"u8) >= 0 && draw();
        if (!isAnswer || !_losesAnswer)
            return false;
        proxy.WasLost();
        Cut(isReset: true);
        return true;
    }

    private async Task SendAsync(TcpClient to, ReadOnlyMemory<byte> bytes)
    {
        while (bytes.Length > 0)
            bytes = bytes[await to.Client.SendAsync(bytes, _cut.Token)..];
    }

    private async Task PauseAsync(int count)
    {
        if (proxy.Traffic != Traffic.Slow)
            return;
        await Task.Delay(TimeSpan.FromSeconds((double)count / SlowBytesPerSecond), TimeProvider.System, _cut.Token);
        proxy.WasSlow(count);
    }

    // The number of next bytes that are forwarded.
    private int Pass(int count)
    {
        if (proxy.CutAfter is not { } draw)
        {
            _untilCut = null;
            return count;
        }
        var passed = Math.Min(count, _untilCut ??= draw());
        _untilCut -= passed;
        return passed;
    }

    private Task SwallowAsync()
    {
        proxy.WasSwallowed();
        return UntilCutAsync();
    }

    private Task UntilCutAsync() => Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, _cut.Token);
}
