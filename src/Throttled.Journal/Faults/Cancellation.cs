namespace Throttled.Journal.Faults;

/// <summary>Cancels beside the loop, because a driver may open a connection to do it and block meanwhile.</summary>
internal sealed class Cancellation(CancellationTokenSource source) : IThreadPoolWorkItem
{
    public void Execute() => source.Cancel();
}
