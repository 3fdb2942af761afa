using System.Runtime.InteropServices;

namespace Throttled.Tool.Tail;

/// <summary>Ends the run at the first Ctrl+C or SIGTERM. The second one kills the process, as the system does by default.</summary>
internal sealed class Ending : IDisposable
{
    private readonly CancellationTokenSource _end = new();
    private readonly PosixSignalRegistration[] _signals;

    internal Ending() => _signals =
        [PosixSignalRegistration.Create(PosixSignal.SIGINT, Heard), PosixSignalRegistration.Create(PosixSignal.SIGTERM, Heard)];

    internal CancellationToken Token => _end.Token;

    internal void End() => _end.Cancel();

    // The token source is not disposed, because a signal may still be on its way.
    public void Dispose()
    {
        foreach (var signal in _signals)
            signal.Dispose();
    }

    private void Heard(PosixSignalContext signal)
    {
        if (_end.IsCancellationRequested)
            return;
        signal.Cancel = true;
        _end.Cancel();
    }
}
