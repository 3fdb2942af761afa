using System.Net.Sockets;

namespace Throttled.Faults.PostgreSql;

/// <summary>One connection over a <see cref="FaultProxy"/>.</summary>
internal sealed class ProxiedConnection(FaultProxy proxy, TcpClient client) : IDisposable
{
    private const int SlowBytesPerSecond = 1024;

    private readonly CancellationTokenSource _cut = new();
    // What is not read has to stay with the server soon.
    private readonly TcpClient _server = new() { ReceiveBufferSize = 4096, NoDelay = true };
    private int? _untilCut;
    private bool _isReset;
    private int _cuts;
    private long _answered;
    private volatile bool _losesAnswer;

    /// <summary>Whether nothing passes any more, though both ends are open.</summary>
    internal volatile bool IsDead;

    /// <summary>Cuts it, and tells both ends: by a reset, or by the end of the stream.</summary>
    internal void Cut(bool isReset)
    {
        if (Interlocked.Exchange(ref _cuts, 1) != 0)
            return;
        _isReset = isReset;
        proxy.WasCut();
        _cut.Cancel();
    }

    /// <summary>Passes on what comes until one side ends it or it is cut.</summary>
    internal async Task RunAsync(string host, int port)
    {
        client.NoDelay = true;
        await QuietAsync(async () =>
        {
            if (proxy.Traffic == Traffic.Stands)
                await UntilCutAsync();
            await _server.ConnectAsync(host, port, _cut.Token);
        });
        if (!_server.Connected)
            return;
        var (there, back) = (QuietAsync(() => PassAsync(client, _server, isAnswer: false)), QuietAsync(() => PassAsync(_server, client, isAnswer: true)));
        await Task.WhenAny(there, back);
        // That one side has hung up does not get through either.
        if (IsDead)
            await QuietAsync(UntilCutAsync);
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

    private static async Task QuietAsync(Func<Task> work)
    {
        try
        {
            await work();
        }
        catch (Exception error) when (error is SocketException or IOException or ObjectDisposedException or OperationCanceledException)
        {
            // One side is gone, or it was cut.
        }
    }

    private async Task PassAsync(TcpClient from, TcpClient to, bool isAnswer)
    {
        var buffer = new byte[8192];
        while (await from.Client.ReceiveAsync(buffer.AsMemory(0, proxy.Traffic == Traffic.Trickles ? 128 : buffer.Length), _cut.Token) is var count and > 0)
        {
            await PauseAsync(count);
            if (IsLost(buffer.AsSpan(0, count), isAnswer))
                return;
            _answered += isAnswer ? count : 0;
            if (IsDead |= _answered > proxy.StandAfter)
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

    // The driver sends it by itself, and nothing before it is unanswered then.
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
        if (proxy.Traffic != Traffic.Trickles)
            return;
        await Task.Delay(TimeSpan.FromSeconds((double)count / SlowBytesPerSecond), TimeProvider.System, _cut.Token);
        proxy.WasSlow(count);
    }

    // How many of the next bytes pass.
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
